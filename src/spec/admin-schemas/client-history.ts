import { closed, FLAG, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const TEXT_OR_NULL: Schema = { type: ['string', 'null'] };
const VERSION: Schema = { type: 'integer', minimum: 1 };
const ANYTHING: Schema = {};

const CHANGE = {
  action: said('The action of the audit event.', TEXT_OR_NULL),
  actor: said('As in the audit.', TEXT_OR_NULL),
  request_id: TEXT_OR_NULL,
  reason: said('The `Audit-Reason` of the change.', TEXT_OR_NULL),
} as const satisfies Readonly<Record<string, Schema>>;

const LINE = {
  version: VERSION,
  is_current: said('Whether the client is in this version now.', FLAG),
  made_at: said(
    'When a change made this version. Null, like the members about the change, if nothing tells.',
    TIME_OR_NEVER,
  ),
  ...CHANGE,
} as const satisfies Readonly<Record<string, Schema>>;

const CONTENT = {
  metadata: said('The client metadata, with `data`.', OBJECT),
  secrets: said('By name and times, the newest first.', {
    type: 'array',
    items: closed({ id: TEXT, created_at: TIME, expires_at: TIME_OR_NEVER }),
  }),
  registration_access_token_id: said('Names the token, and says whether it changed.', TEXT),
  privileges: said('The privileges of the registration access token.', OBJECT),
} as const satisfies Readonly<Record<string, Schema>>;

const DELETED = {
  client_id: TEXT,
  client_name: TEXT_OR_NULL,
  registered_via: TEXT,
  deleted_at: TIME,
  restorable_until: said('The end of the grace period.', TIME),
  ...CHANGE,
} as const satisfies Readonly<Record<string, Schema>>;

/** Versions of clients and deleted clients in the administration API. */
export const ADMIN_CLIENT_HISTORY_SCHEMAS = {
  AdminClientVersion: said('A version of a client, and the change that made it.', closed(LINE)),
  AdminClientVersionContent: said(
    'A version of a client with its content, without secrets.',
    closed({ ...LINE, ...CONTENT }),
  ),
  AdminClientDiff: said(
    'The differences of two versions of a client.',
    closed({
      from: VERSION,
      to: VERSION,
      changes: {
        type: 'array',
        items: closed(
          {
            path: said('A JSON pointer into `AdminClientVersionContent`.', TEXT),
            before: said('Absent for what the second version has more.', ANYTHING),
            after: said('Absent for what the second version lacks.', ANYTHING),
          },
          ['path'],
        ),
      },
    }),
  ),
  AdminDeletedClient: said('A deleted client in its grace period.', closed(DELETED)),
  AdminRestoredClient: said(
    'A client that was restored. A secret and a registration access token appear if this restoration made them, in this answer only.',
    closed(
      {
        client_id: TEXT,
        version: VERSION,
        client_secret: TEXT,
        registration_access_token: said('RFC 7592 §3.', TEXT),
        registration_client_uri: TEXT,
      },
      ['client_id', 'version'],
    ),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
