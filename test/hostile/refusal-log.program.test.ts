import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { macJwt, signedJwt } from '../../src/testing/jwt.ts';
import { type Program, startProgram } from '../program/start.ts';
import { ASSERTION_TYPE, KEY } from './client-assertions.ts';

/**
 * Every refusal is one line of the log: client, address, reason, methods and the value that failed, and never a secret
 * (decision 46). Goes through the endpoints and reasons of the started program.
 */
const CALLBACK = 'https://rp.example/cb';
const PAGE = readFileSync(new URL('../../docs/reference/refusals.md', import.meta.url), 'utf8');

interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
}

let program: Program;
let basic: Registered;
let jwt: Registered;
let publicClient: Registered;

before(async () => {
  program = await startProgram({
    environment: { CHANCERY_REGISTRATION_OPEN_RATE_PER_NETWORK: '1', CHANCERY_FEDERATION_ENABLED: 'false' },
  });
  basic = await registered({ scope: 'read', grant_types: ['client_credentials'], redirect_uris: [] });
  jwt = await registered({
    grant_types: ['client_credentials'],
    redirect_uris: [],
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
  });
  publicClient = await registered({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' });
});

after(async () => {
  await program.stop();
});

async function registered(metadata: object): Promise<Registered> {
  const answer = await fetch(`${program.url}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify(metadata),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as Registered;
}

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** Members of the line that are expected; the others are free. */
interface Expected {
  readonly endpoint: string;
  readonly reason: string;
  readonly client?: string;
  readonly tried?: string;
  readonly registered?: string;
  readonly value?: Readonly<Record<string, string>>;
}

type Line = Expected & { readonly address: string; readonly detail: string; readonly msg: string };

const SECRET = 'never-in-the-log-Zq7';
const now = (): number => Math.floor(Date.now() / 1000);
const basicOf = (id: string, secret = SECRET): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const token = (form: Readonly<Record<string, string>>, headers = {}): Sent => ({
  path: '/token',
  form,
  headers,
});
const own = (form: Readonly<Record<string, string>>): Sent =>
  token(form, basicOf(basic.client_id, basic.client_secret));
const CREDENTIALS = { grant_type: 'client_credentials' };

function assertion(changes: object, header: object = {}): Sent {
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

const authorize = (change: Readonly<Record<string, string>>): Sent => {
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

const ROWS: Readonly<Record<string, () => readonly [Sent, Expected]>> = {
  'a wrong secret': () => [
    token(CREDENTIALS, basicOf(basic.client_id)),
    {
      endpoint: 'token',
      reason: 'wrong-secret',
      client: basic.client_id,
      tried: 'client_secret_basic',
      registered: 'client_secret_basic',
    },
  ],
  'an unknown client': () => [
    token(CREDENTIALS, basicOf('nobody')),
    { endpoint: 'token', reason: 'unknown-client', client: 'nobody', tried: 'client_secret_basic' },
  ],
  'another method': () => [
    token({ ...CREDENTIALS, client_id: jwt.client_id, client_secret: SECRET }),
    {
      endpoint: 'token',
      reason: 'other-authentication-method',
      client: jwt.client_id,
      tried: 'client_secret_post',
      registered: 'private_key_jwt',
    },
  ],
  'two methods': () => [
    token({ ...CREDENTIALS, client_id: basic.client_id, client_secret: SECRET }, basicOf(basic.client_id)),
    {
      endpoint: 'token',
      reason: 'several-authentication-methods',
      client: basic.client_id,
      tried: 'client_secret_basic and client_secret_post',
    },
  ],
  'no method': () => [token(CREDENTIALS), { endpoint: 'token', reason: 'no-client-authentication' }],
  'two identifiers': () => [
    token({ ...CREDENTIALS, client_id: 'other' }, basicOf(basic.client_id)),
    {
      endpoint: 'token',
      reason: 'two-client-ids',
      value: { client_id: 'other', credentials: basic.client_id },
    },
  ],
  'an assertion for the token endpoint (finding 6)': () => [
    assertion({ aud: `${program.issuer}/token` }),
    {
      endpoint: 'token',
      reason: 'jwt-endpoint-audience',
      client: jwt.client_id,
      tried: 'client_assertion',
      registered: 'private_key_jwt',
      value: { aud: `${program.issuer}/token` },
    },
  ],
  'an assertion for another server': () => [
    assertion({ aud: ['https://a.example', 'https://b.example'] }),
    {
      endpoint: 'token',
      reason: 'jwt-audience',
      value: { aud: '["https://a.example","https://b.example"]' },
    },
  ],
  'an assertion without jti': () => [
    assertion({ jti: undefined }),
    { endpoint: 'token', reason: 'jwt-claims', value: { jti: 'missing' } },
  ],
  'an assertion with another key': () => [
    assertion({}, { kid: 'gone' }),
    { endpoint: 'token', reason: 'jwt-unknown-key', client: jwt.client_id, value: { kid: 'gone' } },
  ],
  'an assertion with a MAC': () => [
    token({
      ...CREDENTIALS,
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: macJwt('HS256', SECRET.repeat(2), { iss: jwt.client_id }),
    }),
    { endpoint: 'token', reason: 'jwt-algorithm', client: jwt.client_id, value: { alg: 'HS256' } },
  ],
  'a scope that is not registered': () => [
    own({ ...CREDENTIALS, scope: 'write' }),
    { endpoint: 'token', reason: 'scope-not-registered', client: basic.client_id, value: { scope: 'write' } },
  ],
  'a grant type that is not registered': () => [
    own({ grant_type: 'refresh_token', refresh_token: SECRET }),
    { endpoint: 'token', reason: 'grant-type-not-registered', value: { grant_type: 'refresh_token' } },
  ],
  'an unknown code': () => [
    token({
      grant_type: 'authorization_code',
      client_id: publicClient.client_id,
      code: SECRET,
      redirect_uri: CALLBACK,
    }),
    { endpoint: 'token', reason: 'unknown-code', client: publicClient.client_id },
  ],
  'a resource with a fragment': () => [
    own({ ...CREDENTIALS, resource: 'urn:a#b' }),
    { endpoint: 'token', reason: 'resource', client: basic.client_id },
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
  'H-361 an aud that ends lines and goes on for ever': () => [
    assertion({ aud: `https://a.example/\r\n\u2028${'x'.repeat(3000)}` }),
    {
      endpoint: 'token',
      reason: 'jwt-audience',
      value: { aud: `https://a.example/\\u000d\\u000a\\u2028${'x'.repeat(179)}...` },
    },
  ],
  'a request to /authorize of an unknown client': () => [
    authorize({ client_id: 'nobody' }),
    { endpoint: 'authorization', reason: 'unregistered-client', client: 'nobody' },
  ],
  'another redirect_uri': () => [
    authorize({ redirect_uri: 'https://evil.example/cb' }),
    {
      endpoint: 'authorization',
      reason: 'redirect-uri-not-registered',
      client: publicClient.client_id,
      value: { redirect_uri: 'https://evil.example/cb' },
    },
  ],
  'an error that goes to the client': () => [
    authorize({ code_challenge_method: 'plain' }),
    { endpoint: 'authorization', reason: 'code-challenge', client: publicClient.client_id },
  ],
  'prompt none': () => [
    authorize({ prompt: 'none' }),
    { endpoint: 'authorization', reason: 'login_required', client: publicClient.client_id },
  ],
  'a request object for another server': () => [
    authorize({ request: 'a.b.c' }),
    { endpoint: 'authorization', reason: 'jwt-malformed', client: publicClient.client_id },
  ],
  'a posted request of an unknown client': () => [
    { path: '/authorize', form: { client_id: 'nobody' } },
    { endpoint: 'authorization-post', reason: 'unregistered-client', client: 'nobody' },
  ],
  'a pushed request with a wrong secret': () => [
    { path: '/par', form: CREDENTIALS, headers: basicOf(basic.client_id) },
    { endpoint: 'pushed-authorization-request', reason: 'wrong-secret', client: basic.client_id },
  ],
  'a pushed request with another redirect_uri': () => [
    {
      path: '/par',
      form: { client_id: publicClient.client_id, response_type: 'code', redirect_uri: 'urn:x' },
    },
    {
      endpoint: 'pushed-authorization-request',
      reason: 'redirect-uri-not-registered',
      client: publicClient.client_id,
      value: { redirect_uri: 'urn:x' },
    },
  ],
  'a page that does not wait': () => [
    { method: 'GET', path: `/interaction/${'a'.repeat(43)}` },
    { endpoint: 'interaction', reason: 'page-over' },
  ],
  'an introspection with a wrong secret': () => [
    { path: '/token/introspect', form: { token: SECRET }, headers: basicOf(basic.client_id) },
    {
      endpoint: 'introspection',
      reason: 'wrong-secret',
      client: basic.client_id,
      tried: 'client_secret_basic',
    },
  ],
  'an introspection without the scope': () => [
    {
      path: '/token/introspect',
      form: { token: SECRET },
      headers: basicOf(basic.client_id, basic.client_secret),
    },
    {
      endpoint: 'introspection',
      reason: 'introspection',
      client: basic.client_id,
      value: { scope: `${program.issuer}/token/introspect` },
    },
  ],
  'an introspection with an unknown token': () => [
    { path: '/token/introspect', form: { token: SECRET }, headers: bearer(SECRET) },
    { endpoint: 'introspection', reason: 'unknown-bearer-token', tried: 'bearer' },
  ],
  'a revocation with a wrong secret': () => [
    { path: '/token/revoke', form: { token: SECRET }, headers: basicOf(basic.client_id) },
    { endpoint: 'revocation', reason: 'wrong-secret', client: basic.client_id },
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
  'a registration of bad JSON': () => [
    { path: '/clients', headers: { ...JSON_TYPE, ...bearer(program.masterToken) }, text: '{,}' },
    { endpoint: 'client-registration', reason: 'malformed-json' },
  ],
  'a registration with a wrong member': () => [
    {
      path: '/clients',
      headers: { ...JSON_TYPE, ...bearer(program.masterToken) },
      text: '{"redirect_uris":["http://rp.example/cb"]}',
    },
    { endpoint: 'client-registration', reason: 'invalid_redirect_uri' },
  ],
  'a client read with a wrong token': () => [
    { method: 'GET', path: `/clients/${basic.client_id}`, headers: bearer(SECRET) },
    { endpoint: 'client-read', reason: 'unknown-bearer-token', client: basic.client_id },
  ],
  'a client that does not exist, with the master token': () => [
    { method: 'DELETE', path: '/clients/gone', headers: bearer(program.masterToken) },
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

async function send({ method = 'POST', path, headers = {}, form, text }: Sent): Promise<void> {
  const type = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const body = form === undefined ? text : new URLSearchParams(form).toString();
  const answer = await fetch(`${program.url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  await answer.arrayBuffer();
}

const linesOf = (output: string): readonly Line[] =>
  output
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)
    .filter(({ msg }) => msg === 'refused');

for (const [what, make] of Object.entries(ROWS)) {
  test(`${what}: one line names reason, client, address, methods and value (decision 46)`, {
    timeout: 30_000,
  }, async () => {
    const before = program.output().length;
    const [sent, expected] = make();
    await send(sent);
    while (linesOf(program.output().slice(before)).length === 0) await sleep(5);
    const lines = linesOf(program.output().slice(before));
    assert.equal(lines.length, 1, JSON.stringify(lines));
    const [line] = lines;
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, line?.[name as keyof Line]]));
    assert.deepEqual(shown, expected, JSON.stringify(line));
    assert.equal(line?.address, '127.0.0.1');
    assert.notEqual(line.detail, '');
    assert.ok(
      PAGE.includes(`<a id="${line.reason}"></a>`),
      `docs/reference/refusals.md lacks ${line.reason}`,
    );
  });
}

test('a logout that does not lead back says why: client, address and value (decision 46)', async () => {
  await send({ method: 'GET', path: '/logout?post_logout_redirect_uri=https%3A%2F%2Fevil.example%2F' });
  await program.printed(/"reason":"logout-redirect"[^\n]*evil\.example/u);
});

test('H-362 no secret, token, code, state or assertion is in the log of all these refusals (decision 46, I6)', () => {
  const output = program.output();
  for (const secret of [SECRET, basic.client_secret, program.masterToken, program.directToken])
    assert.ok(!output.includes(secret), 'a secret is in the log');
  assert.doesNotMatch(output, /eyJ[A-Za-z0-9_-]{8,}\./u);
  assert.doesNotMatch(output, /"level":"error"/u);
});
