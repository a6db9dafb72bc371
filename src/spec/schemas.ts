import { ADMIN_BACKUP_SCHEMAS } from './admin-schemas/backups.ts';
import { ADMIN_CLIENT_HISTORY_SCHEMAS } from './admin-schemas/client-history.ts';
import { ADMIN_CLIENT_SCHEMAS } from './admin-schemas/clients.ts';
import { ADMIN_SCHEMAS } from './admin-schemas/conventions.ts';
import { ADMIN_DECLARATION_SCHEMAS } from './admin-schemas/declarations.ts';
import { ADMIN_EVENT_STREAM_SCHEMAS } from './admin-schemas/event-streams.ts';
import { ADMIN_EVENT_SCHEMAS } from './admin-schemas/events.ts';
import { ADMIN_FEDERATION_SCHEMAS } from './admin-schemas/federation.ts';
import { ADMIN_INITIAL_TOKEN_SCHEMAS } from './admin-schemas/initial-access-tokens.ts';
import { ADMIN_KEY_SCHEMAS } from './admin-schemas/keys.ts';
import { ADMIN_PEOPLE_SCHEMAS } from './admin-schemas/people.ts';
import { ADMIN_SERVER_SCHEMAS } from './admin-schemas/server.ts';
import { ADMIN_TENANT_SCHEMAS } from './admin-schemas/tenants.ts';
import { ADMIN_WEBHOOK_SCHEMAS } from './admin-schemas/webhooks.ts';
import { CLIENT_SCHEMAS } from './client-metadata-schema.ts';
import { ERROR_CODES } from './errors.ts';
import {
  AUTHORIZATION_DETAILS,
  closed,
  FLAG,
  OBJECT,
  type Schema,
  SECONDS,
  said,
  TEXT,
  TEXTS,
  WEB_ADDRESS,
} from './json-schema.ts';
import { PROVIDER_METADATA } from './provider-metadata-schema.ts';
import { SIGNAL_SCHEMAS } from './signal-schemas.ts';

const POSITIVE: Schema = { type: 'integer', minimum: 1 };
/** A list, or words in one string. */
const WORDS: Schema = { anyOf: [TEXTS, TEXT] };

const TOKEN_TYPE = said('`DPoP` for a token that is bound to a key (RFC 9449 §5).', {
  enum: ['Bearer', 'DPoP'],
});

const TOKEN_RESPONSE = closed(
  {
    access_token: TEXT,
    token_type: said('`N_A` for a token that is no access token (RFC 8693 §2.2.1).', {
      enum: ['Bearer', 'DPoP', 'N_A'],
    }),
    expires_in: said('Seconds.', SECONDS),
    scope: said('The scope values of the token, separated by spaces.', TEXT),
    refresh_token: TEXT,
    refresh_token_expires_in: said('Seconds. Absent if the refresh token does not expire.', SECONDS),
    id_token: TEXT,
    issued_token_type: said('The type of the token that an exchange issued (RFC 8693 §2.2.1).', TEXT),
    authorization_details: said(
      'The details of what the token permits (RFC 9396 §7).',
      AUTHORIZATION_DETAILS,
    ),
  },
  ['access_token', 'token_type', 'expires_in', 'scope'],
);

const BACKCHANNEL_AUTHENTICATION = closed(
  {
    auth_req_id: said('For the token endpoint. The client keeps it secret.', TEXT),
    expires_in: said('Seconds that the person has to answer.', POSITIVE),
    interval: said('Seconds between two requests for the tokens. Absent if they are pushed.', POSITIVE),
  },
  ['auth_req_id', 'expires_in'],
);

const DEVICE_AUTHORIZATION = closed({
  device_code: said('For the token endpoint. The device keeps it secret.', TEXT),
  user_code: said('The code that the device shows.', TEXT),
  verification_uri: said('The page where a person enters the code.', WEB_ADDRESS),
  verification_uri_complete: said('The same page with the code filled in, for a QR code.', WEB_ADDRESS),
  expires_in: said('Seconds until both codes expire.', SECONDS),
  interval: said('Seconds to wait between two requests for the tokens.', SECONDS),
});

const TOKEN_INTROSPECTION = closed(
  {
    active: FLAG,
    scope: said('The scope values of the token, separated by spaces.', TEXT),
    client_id: said('The client that the token was issued to.', TEXT),
    username: said('The user name of the end-user.', TEXT),
    token_type: TOKEN_TYPE,
    exp: said('The end of the token, in seconds since the Unix epoch.', SECONDS),
    iat: said('The beginning of the token.', SECONDS),
    sub: said('The subject: the end-user, or the client itself.', TEXT),
    aud: said('The resource servers that the token is for. Absent: any.', TEXTS),
    iss: said('The issuer.', WEB_ADDRESS),
    jti: said('An identifier of the token.', TEXT),
    cnf: said(
      'The certificate (RFC 8705 §3.2) or the key (RFC 9449 §6.2) to which the token is bound.',
      closed({ 'x5t#S256': TEXT, jkt: TEXT }, []),
    ),
    acr: TEXT,
    amr: TEXTS,
    auth_time: SECONDS,
    act: said('The party that acts for the subject, with earlier ones inside (RFC 8693 §4.1).', OBJECT),
    may_act: said('The party that may act for the subject (RFC 8693 §4.4).', OBJECT),
    authorization_details: said(
      'The details of what the token permits (RFC 9396 §9.2).',
      AUTHORIZATION_DETAILS,
    ),
    clm: said('Names of the claims that the direct authorisation gave.', TEXTS),
    cld: said('Values of these claims.', OBJECT),
    dat: said('The `data` of the direct authorisation, as sent.', OBJECT),
  },
  ['active'],
);

const DIRECT_AUTHORIZATION = closed(
  {
    sub: said('The subject. The client itself, if absent.', TEXT),
    username: TEXT,
    client_id: said('Needed unless the scope has a value for client registration.', TEXT),
    scope: WORDS,
    claims: said('Names of claims about the subject that the client may have.', WORDS),
    claims_data: said('Values of these claims, by name.', OBJECT),
    audience: WORDS,
    resources: said('Absolute URIs (RFC 8707 §2), instead of `audience`.', WORDS),
    data: said('Stands in the introspection as `dat`.', OBJECT),
    label: said('A name for an initial access token, for its list.', TEXT),
    redirect_hosts: said('The hosts that redirection URIs may have, for an initial access token.', {
      anyOf: [WORDS, { type: 'null' }],
    }),
    lifetime: said('Seconds.', POSITIVE),
    long_lived: FLAG,
    access_token: closed(
      { lifetime: POSITIVE, encoding: { enum: ['IDENTIFIER', 'SELF_CONTAINED'] }, audience: WORDS },
      [],
    ),
    refresh_token: closed({ issue: FLAG, lifetime: SECONDS, max_idle: SECONDS, rotate: FLAG }, ['issue']),
    id_token: closed({ issue: FLAG, lifetime: POSITIVE }, ['issue']),
  },
  ['scope'],
);

const SIGN_IN_OUTCOME: Schema = {
  anyOf: [
    closed(
      {
        subject: TEXT,
        acr: { type: ['string', 'null'] },
        amr: TEXTS,
        claims: OBJECT,
        auth_time: SECONDS,
        consent: {
          type: 'object',
          properties: { scope: TEXTS, claims: TEXTS, authorization_details: AUTHORIZATION_DETAILS },
          required: ['scope'],
        },
      },
      ['subject'],
    ),
    closed({ error: TEXT, error_description: TEXT }, ['error']),
  ],
};

const BACKCHANNEL_REQUEST = closed(
  {
    id: TEXT,
    client: OBJECT,
    binding_message: said('The text that the client shows too.', TEXT),
    address: said('The network address that the client asked from.', TEXT),
    scope: TEXTS,
    resource: TEXTS,
    acr_values: TEXTS,
    authorization_details: AUTHORIZATION_DETAILS,
    requested_at: SECONDS,
    expires_at: SECONDS,
  },
  ['id', 'client', 'address', 'scope', 'requested_at', 'expires_at'],
);

const BACKCHANNEL_OUTCOME: Schema = {
  anyOf: [
    { $ref: '#/components/schemas/SignInOutcome' },
    closed({
      error: { const: 'access_denied' },
      block: said('Whether the person also blocks the client.', FLAG),
    }),
  ],
};

const SIGN_IN_REQUEST = closed(
  {
    client: OBJECT,
    scope: TEXTS,
    claims: TEXTS,
    resource: TEXTS,
    authorization_details: AUTHORIZATION_DETAILS,
    prompt: TEXTS,
    acr_values: TEXTS,
    acr: {},
    max_age: SECONDS,
    login_hint: TEXT,
    ui_locales: TEXT,
    expires_at: SECONDS,
  },
  ['client', 'scope', 'expires_at'],
);

const CHECKED = { enum: ['passed', 'failed'] } as const;

/** Returns the object of `GET /health/ready`. */
const readiness = (states: readonly string[]): Schema =>
  closed(
    {
      status: { enum: states },
      checks: closed(
        {
          storage: CHECKED,
          'encryption-key': CHECKED,
          file: said('The check of the database file after a crash.', {
            type: 'object',
            properties: { state: { enum: ['running', 'passed', 'damaged', 'unfinished'] } },
            required: ['state'],
          }),
          clock: { const: 'in doubt' },
        },
        ['storage'],
      ),
      reason: TEXT,
    },
    ['status'],
  );

/** The schemas that the API description names: the bodies of requests and responses. */
export const SCHEMAS = {
  OAuthError: said(
    'A refusal (RFC 6749 §5.2).',
    closed({
      error: { enum: Object.keys(ERROR_CODES) },
      error_description: said('Words for a person. Never a cause, a path or a secret.', {
        type: 'string',
        pattern: '^[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]+$',
      }),
    }),
  ),
  ...CLIENT_SCHEMAS,
  ...ADMIN_SCHEMAS,
  ...ADMIN_CLIENT_SCHEMAS,
  ...ADMIN_INITIAL_TOKEN_SCHEMAS,
  ...ADMIN_CLIENT_HISTORY_SCHEMAS,
  ...ADMIN_BACKUP_SCHEMAS,
  ...ADMIN_KEY_SCHEMAS,
  ...ADMIN_EVENT_SCHEMAS,
  ...ADMIN_SERVER_SCHEMAS,
  ...ADMIN_TENANT_SCHEMAS,
  ...ADMIN_DECLARATION_SCHEMAS,
  ...ADMIN_PEOPLE_SCHEMAS,
  ...ADMIN_FEDERATION_SCHEMAS,
  ...ADMIN_WEBHOOK_SCHEMAS,
  ...ADMIN_EVENT_STREAM_SCHEMAS,
  ...SIGNAL_SCHEMAS,
  TokenResponse: said('RFC 6749 §5.1.', TOKEN_RESPONSE),
  BackchannelAuthentication: BACKCHANNEL_AUTHENTICATION,
  DeviceAuthorization: DEVICE_AUTHORIZATION,
  TokenIntrospection: said(
    'RFC 7662 §2.2. An inactive token has `active` alone. An exchanged token also has the claims that `assertion-grants.issuers` maps.',
    { ...TOKEN_INTROSPECTION, additionalProperties: true },
  ),
  DirectAuthorization: DIRECT_AUTHORIZATION,
  PushedAuthorization: closed({ request_uri: TEXT, expires_in: SECONDS }),
  Userinfo: {
    description: 'Claims about the end-user (OpenID Connect Core 1.0 §5.3.2).',
    type: 'object',
    properties: { sub: TEXT },
    required: ['sub'],
  },
  JwkSet: closed({
    keys: {
      type: 'array',
      items: closed(
        {
          kty: { enum: ['RSA', 'EC', 'OKP'] },
          kid: TEXT,
          use: { enum: ['sig', 'enc'] },
          alg: TEXT,
          n: TEXT,
          e: TEXT,
          crv: TEXT,
          x: TEXT,
          y: TEXT,
        },
        ['kty', 'kid'],
      ),
    },
  }),
  ProviderMetadata: PROVIDER_METADATA,
  SignInRequest: SIGN_IN_REQUEST,
  SignInOutcome: SIGN_IN_OUTCOME,
  BackchannelRequests: closed({ requests: { type: 'array', items: BACKCHANNEL_REQUEST } }),
  BackchannelOutcome: BACKCHANNEL_OUTCOME,
  BackchannelDecision: closed({ state: { enum: ['allowed', 'denied'] } }),
  SignInRedirection: closed({ redirect_to: WEB_ADDRESS }),
  Live: closed({ status: { const: 'live' } }),
  Ready: readiness(['ready']),
  NotReady: readiness(['starting', 'not-ready', 'stopping']),
} as const satisfies Readonly<Record<string, Schema>>;

export type SchemaName = keyof typeof SCHEMAS;

/** Returns a reference to a named schema. */
export const named = (name: SchemaName): Schema => ({ $ref: `#/components/schemas/${name}` });
