import { ADMIN_ROLES } from '../admin-scopes.ts';
import { AUTHORIZATION_DETAILS, closed, FLAG, OBJECT, type Schema, said, TEXT } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const TEXT_OR_NULL: Schema = { anyOf: [TEXT, { type: 'null' }] };
const TEXTS: Schema = { type: 'array', items: TEXT };
const ROLE: Schema = said('Null for an account without a role in the administration.', {
  anyOf: [{ enum: ADMIN_ROLES }, { type: 'null' }],
});
const CLAIMS = said('Claims (OpenID Connect Core 1.0 §5.1).', OBJECT);
const USERNAME = said('The name of the account. Null if there is none with this subject.', TEXT_OR_NULL);
const CLIENT_NAME = said('The `client_name` that the client registered.', TEXT_OR_NULL);

/** Accounts, and what belongs to people, in the administration API. */
export const ADMIN_PEOPLE_SCHEMAS = {
  AdminAccount: said(
    'An account, without its password.',
    closed({
      sub: TEXT,
      username: said('The name in the spelling of its owner.', TEXT),
      login_name: said('The name as the server compares it. Unique.', TEXT),
      claims: CLAIMS,
      admin_role: ROLE,
      disabled: FLAG,
      disabled_at: TIME_OR_NEVER,
      has_password: said('False for an account that signs in elsewhere.', FLAG),
      created_at: TIME,
      updated_at: TIME,
    }),
  ),
  AdminNewAccount: said(
    'An account to make.',
    closed(
      {
        username: TEXT,
        password: said(
          '8 to 128 characters. Absent: the server makes one, and the answer has it once.',
          TEXT,
        ),
        claims: CLAIMS,
        admin_role: ROLE,
      },
      ['username'],
    ),
  ),
  AdminMadeAccount: said(
    'The new account.',
    closed(
      {
        account: { $ref: '#/components/schemas/AdminAccount' },
        password: said('Present if the server made it.', TEXT),
      },
      ['account'],
    ),
  ),
  AdminAccountChanges: said(
    'The members of an account to change.',
    closed({ claims: CLAIMS, admin_role: ROLE }, []),
  ),
  AdminPassword: said(
    'The new password, or no member: the server makes one.',
    closed({ password: TEXT }, []),
  ),
  AdminMadePassword: said(
    'The password that the server made. Null if the request had one.',
    closed({ password: TEXT_OR_NULL }),
  ),
  AdminEnded: said('How many ended.', closed({ ended: { type: 'integer', minimum: 0 } })),
  AdminSession: said(
    'A session of an end-user in one browser.',
    closed({
      sid: said('As ID tokens and logout tokens have it.', TEXT),
      sub: TEXT,
      username: USERNAME,
      auth_time: TIME,
      acr: TEXT_OR_NULL,
      amr: TEXTS,
      created_at: TIME,
      last_seen_at: said('Updated coarsely.', TIME),
      expires_at: said('The end without further use.', TIME),
      ends_at: said('The end in any case.', TIME),
      clients: {
        type: 'array',
        items: closed({
          client_id: TEXT,
          client_name: CLIENT_NAME,
          first_used_at: TIME,
          last_used_at: TIME,
        }),
      },
    }),
  ),
  AdminGrant: said(
    'A grant: what a client may do for a subject. Its tokens end with it.',
    closed({
      grant_id: TEXT,
      sub: TEXT,
      username: USERNAME,
      client_id: TEXT,
      client_name: CLIENT_NAME,
      scope: TEXTS,
      audience: TEXTS,
      authorization_details: said('The granted details (RFC 9396); often none.', AUTHORIZATION_DETAILS),
      sid: said('The session that the grant ends with.', TEXT_OR_NULL),
      refreshable: said('Whether it has a refresh token.', FLAG),
      created_at: TIME,
      expires_at: TIME_OR_NEVER,
    }),
  ),
  AdminBackchannelRequest: said(
    'A request of a client without a browser (CIBA). It is kept for an hour after its end.',
    closed({
      id: TEXT,
      sub: said('Null if the hint names no account, or if the person has blocked the client.', TEXT_OR_NULL),
      username: USERNAME,
      client_id: TEXT,
      client_name: CLIENT_NAME,
      state: { enum: ['open', 'allowed', 'denied', 'expired'] },
      mode: said('How the client gets its tokens.', { enum: ['poll', 'ping', 'push'] }),
      scope: TEXTS,
      binding_message: TEXT_OR_NULL,
      address: said('The network address that the client asked from.', TEXT),
      created_at: TIME,
      expires_at: TIME,
      attempts: said('How often the client was notified, or was to be.', { type: 'integer', minimum: 0 }),
      due_at: said('When the client is notified next. Null if it is not.', TIME_OR_NEVER),
      problem: said('Why the client was not notified the last time.', TEXT_OR_NULL),
    }),
  ),
  AdminDeviceAuthorization: said(
    'A request of a device without a browser (RFC 8628). It is kept until it expires.',
    closed({
      id: said('Names the request here. It is neither of its two codes.', TEXT),
      client_id: TEXT,
      client_name: CLIENT_NAME,
      state: { enum: ['open', 'allowed', 'denied', 'expired'] },
      scope: TEXTS,
      address: said('The network address that the device asked from, as its person sees it.', TEXT),
      created_at: TIME,
      expires_at: TIME,
    }),
  ),
  AdminConsent: said(
    'The access that an end-user has allowed a client.',
    closed({
      sub: TEXT,
      username: USERNAME,
      client_id: TEXT,
      client_name: CLIENT_NAME,
      scope: TEXTS,
      claims: said('Names of claims that the client requested one by one.', TEXTS),
      resources: said('Resources that tokens may be for (RFC 8707).', TEXTS),
      granted_at: TIME,
      updated_at: TIME,
    }),
  ),
  AdminAccessToken: said(
    'An access token, never the token itself.',
    closed({
      token_id: said('Names the token here. It is of no use at any other place.', TEXT),
      sub: TEXT,
      username: USERNAME,
      client_id: TEXT,
      client_name: CLIENT_NAME,
      scope: TEXTS,
      audience: TEXTS,
      grant_id: TEXT_OR_NULL,
      issued_at: TIME,
      expires_at: TIME,
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
