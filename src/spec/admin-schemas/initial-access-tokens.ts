import { closed, type Schema, said, TEXT, TEXTS } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const TOKEN = {
  id: said('Names the token; it is not a part of it.', TEXT),
  label: TEXT,
  scope: said('The registrations that it permits.', TEXTS),
  redirect_hosts: said('The hosts that redirection URIs may have; null: any.', {
    anyOf: [TEXTS, { type: 'null' }],
  }),
  created_at: TIME,
  expires_at: TIME,
  state: { enum: ['live', 'used', 'revoked', 'expired'] },
  used_at: TIME_OR_NEVER,
  revoked_at: TIME_OR_NEVER,
  client: said('The client that was registered with it; null before its use.', {
    anyOf: [
      closed({
        client_id: TEXT,
        state: said('`deleted`: also if another client has the id now.', {
          enum: ['active', 'expired', 'deleted'],
        }),
      }),
      { type: 'null' },
    ],
  }),
} as const satisfies Readonly<Record<string, Schema>>;

/** Initial access tokens in the administration API. */
export const ADMIN_INITIAL_TOKEN_SCHEMAS = {
  AdminInitialAccessToken: said('An initial access token (RFC 7591 §1.2), without its value.', closed(TOKEN)),
  AdminNewInitialAccessToken: said(
    'An initial access token that was made.',
    closed({ ...TOKEN, access_token: said('In this answer only.', TEXT) }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
