import { macJwt, signedJwt } from '../../src/testing/jwt.ts';
import type { Program } from '../program/start.ts';
import { ASSERTION_TYPE, KEY } from './client-assertions.ts';

export const CALLBACK = 'https://rp.example/cb';

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The started program and three of its clients. */
export interface World {
  readonly program: Program;
  /** By `client_secret_basic`, for client credentials and the scope `read`. */
  readonly basic: Registered;
  /** By `private_key_jwt`. */
  readonly jwt: Registered;
  /** Without authentication, with `CALLBACK`. */
  readonly publicClient: Registered;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Members of the line that are expected; the others are free. */
export interface Expected {
  readonly endpoint: string;
  readonly reason: string;
  readonly client?: string;
  readonly tried?: string;
  readonly registered?: string;
  readonly value?: Readonly<Record<string, string>>;
}

export const SECRET = 'never-in-the-log-Zq7';
const now = (): number => Math.floor(Date.now() / 1000);
const basicOf = (id: string, secret = SECRET): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const token = (form: Readonly<Record<string, string>>, headers = {}): Sent => ({
  path: '/token',
  form,
  headers,
});
const own = ({ basic }: World, form: Readonly<Record<string, string>>): Sent =>
  token(form, basicOf(basic.client_id, basic.client_secret));
const CREDENTIALS = { grant_type: 'client_credentials' };

function assertion({ jwt, program }: World, changes: object, header: object = {}): Sent {
  const { client_id } = jwt;
  const claims = {
    iss: client_id,
    sub: client_id,
    aud: program.issuer,
    exp: now() + 60,
    jti: String(Math.random()),
    ...changes,
  };
  return token({
    ...CREDENTIALS,
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: signedJwt(KEY, claims, header),
  });
}

const authorize = ({ publicClient }: World, change: Readonly<Record<string, string>>): Sent => {
  const usual = {
    response_type: 'code',
    client_id: publicClient.client_id,
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: SECRET,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  };
  return { method: 'GET', path: `/authorize?${new URLSearchParams({ ...usual, ...change }).toString()}` };
};

const bearer = (value: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${value}` });
const JSON_TYPE = { 'content-type': 'application/json' };

/** Requests that are refused, each with the line that the log has about it. */
export const REFUSAL_ROWS: Readonly<Record<string, (world: World) => readonly [Sent, Expected]>> = {
  'a wrong secret': (world) => [
    token(CREDENTIALS, basicOf(world.basic.client_id)),
    {
      endpoint: 'token',
      reason: 'wrong-secret',
      client: world.basic.client_id,
      tried: 'client_secret_basic',
      registered: 'client_secret_basic',
    },
  ],
  'an unknown client': () => [
    token(CREDENTIALS, basicOf('nobody')),
    { endpoint: 'token', reason: 'unknown-client', client: 'nobody', tried: 'client_secret_basic' },
  ],
  'another method': (world) => [
    token({ ...CREDENTIALS, client_id: world.jwt.client_id, client_secret: SECRET }),
    {
      endpoint: 'token',
      reason: 'other-authentication-method',
      client: world.jwt.client_id,
      tried: 'client_secret_post',
      registered: 'private_key_jwt',
    },
  ],
  'two methods': (world) => [
    token(
      { ...CREDENTIALS, client_id: world.basic.client_id, client_secret: SECRET },
      basicOf(world.basic.client_id),
    ),
    {
      endpoint: 'token',
      reason: 'several-authentication-methods',
      client: world.basic.client_id,
      tried: 'client_secret_basic and client_secret_post',
    },
  ],
  'no method': () => [token(CREDENTIALS), { endpoint: 'token', reason: 'no-client-authentication' }],
  'two identifiers': (world) => [
    token({ ...CREDENTIALS, client_id: 'other' }, basicOf(world.basic.client_id)),
    {
      endpoint: 'token',
      reason: 'two-client-ids',
      value: { client_id: 'other', credentials: world.basic.client_id },
    },
  ],
  'an assertion for the token endpoint (finding 6)': (world) => [
    assertion(world, { aud: `${world.program.issuer}/token` }),
    {
      endpoint: 'token',
      reason: 'jwt-endpoint-audience',
      client: world.jwt.client_id,
      tried: 'client_assertion',
      registered: 'private_key_jwt',
      value: { aud: `${world.program.issuer}/token` },
    },
  ],
  'an assertion for another server': (world) => [
    assertion(world, { aud: ['https://a.example', 'https://b.example'] }),
    {
      endpoint: 'token',
      reason: 'jwt-audience',
      value: { aud: '["https://a.example","https://b.example"]' },
    },
  ],
  'an assertion without jti': (world) => [
    assertion(world, { jti: undefined }),
    { endpoint: 'token', reason: 'jwt-claims', value: { jti: 'missing' } },
  ],
  'an assertion with another key': (world) => [
    assertion(world, {}, { kid: 'gone' }),
    { endpoint: 'token', reason: 'jwt-unknown-key', client: world.jwt.client_id, value: { kid: 'gone' } },
  ],
  'an assertion with a MAC': (world) => [
    token({
      ...CREDENTIALS,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: macJwt('HS256', SECRET.repeat(2), { iss: world.jwt.client_id }),
    }),
    { endpoint: 'token', reason: 'jwt-algorithm', client: world.jwt.client_id, value: { alg: 'HS256' } },
  ],
  'a scope that is not registered': (world) => [
    own(world, { ...CREDENTIALS, scope: 'write' }),
    {
      endpoint: 'token',
      reason: 'scope-not-registered',
      client: world.basic.client_id,
      value: { scope: 'write' },
    },
  ],
  'a grant type that is not registered': (world) => [
    own(world, { grant_type: 'refresh_token', refresh_token: SECRET }),
    { endpoint: 'token', reason: 'grant-type-not-registered', value: { grant_type: 'refresh_token' } },
  ],
  'an unknown code': (world) => [
    token({
      grant_type: 'authorization_code',
      client_id: world.publicClient.client_id,
      code: SECRET,
      redirect_uri: CALLBACK,
    }),
    { endpoint: 'token', reason: 'unknown-code', client: world.publicClient.client_id },
  ],
  'a resource with a fragment': (world) => [
    own(world, { ...CREDENTIALS, resource: 'urn:a#b' }),
    { endpoint: 'token', reason: 'resource', client: world.basic.client_id },
  ],
  'a repeated parameter': () => [
    {
      path: '/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      text: 'grant_type=a&grant_type=b',
    },
    { endpoint: 'token', reason: 'unreadable-parameter' },
  ],
  'a form of another type': () => [
    { path: '/token', headers: { 'content-type': 'text/plain' }, text: 'x' },
    { endpoint: 'token', reason: 'media-type' },
  ],
  'H-360 a client_id that ends lines, turns text and goes on for ever': () => [
    token({ client_id: `a\n{"msg":"forged"}\u202e\u001b[2J${'x'.repeat(5000)}`, ...CREDENTIALS }),
    {
      endpoint: 'token',
      reason: 'unknown-client',
      client: `a\\u000a{"msg":"forged"}\\u202e\\u001b[2J${'x'.repeat(77)}...`,
    },
  ],
  'H-361 an aud that ends lines and goes on for ever': (world) => [
    assertion(world, { aud: `https://a.example/\r\n\u2028${'x'.repeat(3000)}` }),
    {
      endpoint: 'token',
      reason: 'jwt-audience',
      value: { aud: `https://a.example/\\u000d\\u000a\\u2028${'x'.repeat(179)}...` },
    },
  ],
  'a request to /authorize of an unknown client': (world) => [
    authorize(world, { client_id: 'nobody' }),
    { endpoint: 'authorization', reason: 'unregistered-client', client: 'nobody' },
  ],
  'another redirect_uri': (world) => [
    authorize(world, { redirect_uri: 'https://evil.example/cb' }),
    {
      endpoint: 'authorization',
      reason: 'redirect-uri-not-registered',
      client: world.publicClient.client_id,
      value: { redirect_uri: 'https://evil.example/cb' },
    },
  ],
  'an error that goes to the client': (world) => [
    authorize(world, { code_challenge_method: 'plain' }),
    { endpoint: 'authorization', reason: 'code-challenge', client: world.publicClient.client_id },
  ],
  'prompt none': (world) => [
    authorize(world, { prompt: 'none' }),
    { endpoint: 'authorization', reason: 'login_required', client: world.publicClient.client_id },
  ],
  'a request object for another server': (world) => [
    authorize(world, { request: 'a.b.c' }),
    { endpoint: 'authorization', reason: 'jwt-malformed', client: world.publicClient.client_id },
  ],
  'a posted request of an unknown client': () => [
    { path: '/authorize', form: { client_id: 'nobody' } },
    { endpoint: 'authorization-post', reason: 'unregistered-client', client: 'nobody' },
  ],
  'a pushed request with a wrong secret': (world) => [
    { path: '/par', form: CREDENTIALS, headers: basicOf(world.basic.client_id) },
    { endpoint: 'pushed-authorization-request', reason: 'wrong-secret', client: world.basic.client_id },
  ],
  'a pushed request with another redirect_uri': (world) => [
    {
      path: '/par',
      form: { client_id: world.publicClient.client_id, response_type: 'code', redirect_uri: 'urn:x' },
    },
    {
      endpoint: 'pushed-authorization-request',
      reason: 'redirect-uri-not-registered',
      client: world.publicClient.client_id,
      value: { redirect_uri: 'urn:x' },
    },
  ],
  'a page that does not wait': () => [
    { method: 'GET', path: `/interaction/${'a'.repeat(43)}` },
    { endpoint: 'interaction', reason: 'page-over' },
  ],
  'an introspection with a wrong secret': (world) => [
    { path: '/token/introspect', form: { token: SECRET }, headers: basicOf(world.basic.client_id) },
    {
      endpoint: 'introspection',
      reason: 'wrong-secret',
      client: world.basic.client_id,
      tried: 'client_secret_basic',
    },
  ],
  'an introspection without the scope': (world) => [
    {
      path: '/token/introspect',
      form: { token: SECRET },
      headers: basicOf(world.basic.client_id, world.basic.client_secret),
    },
    {
      endpoint: 'introspection',
      reason: 'introspection',
      client: world.basic.client_id,
      value: { scope: `${world.program.issuer}/token/introspect` },
    },
  ],
  'an introspection with an unknown token': () => [
    { path: '/token/introspect', form: { token: SECRET }, headers: bearer(SECRET) },
    { endpoint: 'introspection', reason: 'unknown-bearer-token', tried: 'bearer' },
  ],
  'a revocation with a wrong secret': (world) => [
    { path: '/token/revoke', form: { token: SECRET }, headers: basicOf(world.basic.client_id) },
    { endpoint: 'revocation', reason: 'wrong-secret', client: world.basic.client_id },
  ],
  'UserInfo with an unknown token': () => [
    { method: 'GET', path: '/userinfo', headers: bearer(SECRET) },
    { endpoint: 'userinfo', reason: 'unknown-bearer-token' },
  ],
  'UserInfo without a token': () => [
    { method: 'GET', path: '/userinfo' },
    { endpoint: 'userinfo', reason: 'no-bearer-token' },
  ],
  'a registration without a token': () => [
    { path: '/clients', headers: JSON_TYPE, text: '{}' },
    { endpoint: 'client-registration', reason: 'no-bearer-token' },
  ],
  'a registration with Basic': () => [
    { path: '/register', headers: { ...JSON_TYPE, ...basicOf('somebody') }, text: '{}' },
    { endpoint: 'client-registration-201', reason: 'other-scheme-than-bearer', client: 'somebody' },
  ],
  'a registration of bad JSON': (world) => [
    { path: '/clients', headers: { ...JSON_TYPE, ...bearer(world.program.masterToken) }, text: '{,}' },
    { endpoint: 'client-registration', reason: 'malformed-json' },
  ],
  'a registration with a wrong member': (world) => [
    {
      path: '/clients',
      headers: { ...JSON_TYPE, ...bearer(world.program.masterToken) },
      text: '{"redirect_uris":["http://rp.example/cb"]}',
    },
    { endpoint: 'client-registration', reason: 'invalid_redirect_uri' },
  ],
  'a client read with a wrong token': (world) => [
    { method: 'GET', path: `/clients/${world.basic.client_id}`, headers: bearer(SECRET) },
    { endpoint: 'client-read', reason: 'unknown-bearer-token', client: world.basic.client_id },
  ],
  'a client that does not exist, with the master token': (world) => [
    { method: 'DELETE', path: '/clients/gone', headers: bearer(world.program.masterToken) },
    { endpoint: 'client-delete', reason: 'not_found', client: 'gone' },
  ],
  'a list without a token': () => [
    { method: 'GET', path: '/clients' },
    { endpoint: 'client-list', reason: 'no-bearer-token' },
  ],
  'the direct endpoint with another token': () => [
    { path: '/direct-authz/rest/v2', headers: { ...JSON_TYPE, ...bearer(SECRET) }, text: '{}' },
    { endpoint: 'direct-authorization', reason: 'unknown-bearer-token' },
  ],
  'a federation that is off': () => [
    {
      path: '/federation/clients',
      headers: { 'content-type': 'application/jose' },
      text: signedJwt(KEY, { iss: 'https://entity.example' }),
    },
    { endpoint: 'federation-registration', reason: 'federation_not_enabled' },
  ],
  'an unknown path': () => [
    { method: 'GET', path: '/nowhere' },
    { endpoint: 'edge', reason: 'unknown-path' },
  ],
  'an unknown method': () => [
    { method: 'PUT', path: '/token', text: '' },
    { endpoint: 'edge', reason: 'unsupported-method' },
  ],
  'a body that is too large': () => [
    token({ x: 'y'.repeat(2_000_000) }),
    { endpoint: 'edge', reason: 'body-too-large' },
  ],
};
