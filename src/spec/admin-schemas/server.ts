import { closed, FLAG, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const NUMBER: Schema = { type: 'integer', minimum: 0 };
const ANYTHING: Schema = {};

/** Settings, statistics and refusals in the administration API. */
export const ADMIN_SERVER_SCHEMAS = {
  AdminSetting: said(
    'A setting as the tenant uses it.',
    closed({
      name: TEXT,
      value: said('Null if it is not set. Secrets are masked.', ANYTHING),
      origin: said(
        '`default`, or the profile, file, environment variable or tenant that gave the value.',
        TEXT,
      ),
      default: said('Null without one.', ANYTHING),
      secret: FLAG,
      type: TEXT,
      unit: { type: ['string', 'null'] },
      tenants: said(
        'Which value another tenant uses: that of the process, its own or the inherited one, or its own or the default.',
        { enum: ['process', 'inherited', 'own'] },
      ),
      environment: said('The environment variable.', TEXT),
      description: TEXT,
    }),
  ),
  AdminStatistics: closed({
    version: { type: ['string', 'null'] },
    started_at: said('When the process that answers began.', TIME_OR_NEVER),
    process: said('The process that answers; null for a tenant other than the default one.', {
      anyOf: [
        closed({
          pid: NUMBER,
          workers: said('How many processes the server has.', NUMBER),
          node: TEXT,
          storage: { enum: ['sqlite', 'postgresql'] },
          requests: said('Answers of all workers since each began, by the class of their status.', {
            type: 'object',
            additionalProperties: NUMBER,
          }),
        }),
        { type: 'null' },
      ],
    }),
    objects: said('Rows of all tenants, or estimates; null for a tenant other than the default one.', {
      anyOf: [
        closed({
          clients: NUMBER,
          accounts: NUMBER,
          sessions: NUMBER,
          grants: NUMBER,
          access_tokens: NUMBER,
          client_versions: said('Former versions of clients.', NUMBER),
        }),
        { type: 'null' },
      ],
    }),
    refusals: said('The latest refusals that the workers remember, by their reason.', {
      type: 'object',
      additionalProperties: NUMBER,
    }),
    expiring: said('Ends and changes that come without a command, the next first.', {
      type: 'array',
      items: closed({
        kind: { enum: ['key-rotation', 'key-activation', 'key-removal', 'certificate', 'trust-anchor'] },
        name: TEXT,
        at: TIME,
      }),
    }),
  }),
  AdminRefusal: said(
    'A request that the server refused.',
    closed({
      request_id: TEXT,
      at: TIME,
      endpoint: said('`edge` before any endpoint.', TEXT),
      status: { type: 'integer', minimum: 400, maximum: 599 },
      error: said('The error code of the answer; empty without one.', TEXT),
      reason: said('A reason of `docs/reference/refusals.md`.', TEXT),
      detail: TEXT,
      client_id: said('The client that the request claimed to come from; empty without one.', TEXT),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
