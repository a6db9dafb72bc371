import { closed, FLAG, OBJECT, type Schema, said, TEXT, TEXTS } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const SECRET = closed({
  id: said('Names the secret; it is not a part of it.', TEXT),
  created_at: TIME,
  expires_at: TIME_OR_NEVER,
});

const CLIENT = {
  client_id: TEXT,
  created_at: TIME,
  registered_via: said(
    'The party that registered the client: `open`, `cli`, `document`, or `master:`, `initial:`, `statement:`, `federation:` or `admin:` with a name.',
    TEXT,
  ),
  owner: said('The owner of the files that declare the client (`chancery apply`).', {
    type: ['string', 'null'],
  }),
  type: said('Whether the client authenticates (RFC 6749 §2.1).', { enum: ['public', 'confidential'] }),
  state: { enum: ['active', 'expired'] },
  expires_at: said('The end of the registration.', TIME_OR_NEVER),
  last_used_at: said('Recorded about every ten minutes.', TIME_OR_NEVER),
  scope: said('The values that the client is registered for, its default scope included.', TEXTS),
  secrets: said('The newest first.', { type: 'array', items: SECRET }),
  federation: said('The federation that states the metadata; null for other clients.', {
    type: ['object', 'null'],
  }),
  document: said('The metadata document that the client comes from; null for other clients.', {
    type: ['object', 'null'],
  }),
  metadata: said('The registered client metadata (RFC 7591 §2), with `data`.', OBJECT),
} as const satisfies Readonly<Record<string, Schema>>;

const CREDENTIALS = {
  client_secret: said('In this answer only.', TEXT),
  registration_access_token: said('RFC 7592 §3. In this answer only.', TEXT),
  registration_client_uri: TEXT,
} as const satisfies Readonly<Record<string, Schema>>;

/** Clients in the administration API. */
export const ADMIN_CLIENT_SCHEMAS = {
  AdminClient: said('A client, without its secrets.', closed(CLIENT)),
  AdminNewClient: said(
    'A client, with secrets that this answer made.',
    closed({ ...CLIENT, ...CREDENTIALS }, Object.keys(CLIENT)),
  ),
  AdminClientSecret: said(
    'A secret of a client, without its value.',
    closed({
      id: TEXT,
      created_at: TIME,
      expires_at: TIME_OR_NEVER,
      last_used_at: said('Recorded about every ten minutes.', TIME_OR_NEVER),
    }),
  ),
  AdminNewClientSecret: said(
    'A secret that was made.',
    closed({ id: TEXT, created_at: TIME, expires_at: TIME_OR_NEVER, client_secret: TEXT }),
  ),
  AdminRegistrationToken: said(
    'A registration access token (RFC 7592 §3).',
    closed({ registration_access_token: TEXT, registration_client_uri: TEXT }),
  ),
  AdminBulkResult: said(
    'The part that one call has done.',
    closed(
      {
        done: said('The clients that were changed.', TEXTS),
        unchanged: said('The clients that were as they should be.', TEXTS),
        failed: {
          type: 'array',
          items: closed({ client_id: TEXT, reason: TEXT }),
        },
        next: said('Absent when everything is done.', TEXT),
      },
      ['done', 'unchanged', 'failed'],
    ),
  ),
  AdminFapiReport: said(
    'A client, and what it lacks for a FAPI 2.0 profile.',
    closed({
      client_id: TEXT,
      client_name: { type: ['string', 'null'] },
      registered_via: TEXT,
      fits: said('Whether the client lacks nothing.', FLAG),
      lacks: {
        type: 'array',
        items: closed(
          {
            member: said('The member of the metadata.', TEXT),
            index: said('The place of the value in a list.', { type: 'integer' }),
            value: said('The value as registered.', TEXT),
            allowed: said('The values that the profile allows.', TEXTS),
            words: said('The mistake, as a sentence.', TEXT),
            remedy: said('How to change it, as a sentence.', TEXT),
          },
          ['member', 'words', 'remedy'],
        ),
      },
      change: said(
        'A merge patch of the metadata (RFC 7396), for `PATCH /admin/v1/clients/{client_id}`. It mends what needs no decision of the owner of the client.',
        OBJECT,
      ),
    }),
  ),
  AdminClientRefusal: said(
    'A refusal of a change of the client.',
    closed({
      at: TIME,
      action: TEXT,
      actor: TEXT,
      reason: said('The code of the refusal.', { type: ['string', 'null'] }),
      request_id: TEXT,
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
