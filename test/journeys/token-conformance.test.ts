import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Answer,
  assertJson,
  assertRefused,
  assertUncached,
  call,
  type Registration,
  register,
  SERVICE,
  WEB_CLIENT,
} from './conformance-exchange.ts';

/** RFC 6749 §2.3.1, §3.2, §4.4 and §5, RFC 6750 and RFC 7662 as far as they stand, against the started program. */
let program: Program;
let client: Registration;
let inspector: Registration;

before(async () => {
  program = await startProgram();
  client = await register(program, SERVICE);
  inspector = await register(program, { ...SERVICE, scope: `${program.issuer}/token/introspect` });
});

after(async () => await program.stop());

const CREDENTIALS = { grant_type: 'client_credentials' };

async function tokenFor(
  { client_id, client_secret }: Registration,
  form: Readonly<Record<string, string>> = CREDENTIALS,
): Promise<Answer> {
  return await call(program, { method: 'POST', path: '/token', basic: [client_id, client_secret], form });
}

async function introspect(form: Readonly<Record<string, string>>, bearer?: string): Promise<Answer> {
  const credentials =
    bearer === undefined ? { basic: [inspector.client_id, inspector.client_secret] as const } : { bearer };
  return await call(program, { method: 'POST', path: '/token/introspect', ...credentials, form });
}

// proves rfc6749-4.4.3-1, rfc6749-5.1-1
test('a token response: 200 JSON, no-store and no-cache, access_token, token_type, expires_in and scope, no refresh token (RFC 6749 §5.1, §4.4.3, §3.3)', async () => {
  const answer = await tokenFor(client);
  assert.equal(answer.status, 200, answer.text);
  assertJson(answer);
  assertUncached(answer);
  const { access_token, ...rest } = answer.json;
  assert.match(String(access_token), /^[\x20-\x7e]{43,}$/);
  assert.deepEqual(Object.keys(rest).sort(), ['expires_in', 'scope', 'token_type']);
  assert.deepEqual([rest['token_type'], rest['scope']], ['Bearer', 'read write']);
  assert.ok(Number.isInteger(rest['expires_in']) && Number(rest['expires_in']) > 0);
});

// proves rfc6749-3.2-2
test('the token endpoint takes POST alone (RFC 6749 §3.2)', async () => {
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await call(program, { method, path: '/token?grant_type=client_credentials' });
    assert.equal(`${answer.status} ${String(answer.headers.get('allow'))}`, '405 POST, OPTIONS');
  }
});

// proves rfc6749-2.3.1-2
test('client credentials in the request URI are not read (RFC 6749 §2.3.1)', async () => {
  const { client_id, client_secret } = await register(program, {
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_post',
  });
  const query = new URLSearchParams({ client_id, client_secret, ...CREDENTIALS });
  const inQuery = { method: 'POST', path: `/token?${query.toString()}`, form: CREDENTIALS };
  assertRefused(await call(program, inQuery), 401, 'invalid_client');
  const inBody = { method: 'POST', path: '/token', form: { ...CREDENTIALS, client_id, client_secret } };
  assert.equal((await call(program, inBody)).status, 200);
});

// proves rfc6749-5.2-2
test('a client that tried the Authorization header: 401 with the challenge of its scheme (RFC 6749 §5.2)', async () => {
  const answer = await tokenFor({ ...client, client_secret: 'wrong' });
  assertRefused(answer, 401, 'invalid_client');
  assertUncached(answer);
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm="/);
});

// proves rfc6749-5.2-1
test('errors of the token endpoint have their codes, statuses and characters (RFC 6749 §5.2)', async () => {
  const web = await register(program, WEB_CLIENT);
  assertRefused(await tokenFor(client, {}), 400, 'invalid_request');
  assertRefused(await tokenFor(client, { grant_type: 'telepathy"\\é' }), 400, 'unsupported_grant_type');
  assertRefused(await tokenFor(client, { ...CREDENTIALS, scope: 'admin' }), 400, 'invalid_scope');
  assertRefused(await tokenFor(web), 400, 'unauthorized_client');
});

// proves rfc6749-4.4-1
test('a public client has no client_credentials grant (RFC 6749 §4.4, §4.4.2)', async () => {
  const json = { ...SERVICE, token_endpoint_auth_method: 'none' };
  const post = { method: 'POST', path: '/register', bearer: program.masterToken, json };
  assertRefused(await call(program, post), 400, 'invalid_client_metadata');
  const { client_id } = client;
  const unauthenticated = { method: 'POST', path: '/token', form: { ...CREDENTIALS, client_id } };
  assertRefused(await call(program, unauthenticated), 401, 'invalid_client');
});

// proves rfc7662-2.1-1, rfc7662-2.1-2, rfc7662-2.2-1
test('introspection: 200 JSON with a boolean active; without a token 400, without authorisation 401 (RFC 7662 §2.1, §2.2, §2.3)', async () => {
  const token = String((await tokenFor(client)).json['access_token']);
  const answer = await introspect({ token });
  assert.deepEqual([answer.status, answer.json['active']], [200, true], answer.text);
  assertJson(answer);
  assertUncached(answer);
  assertRefused(await introspect({ token_type_hint: 'access_token' }), 400, 'invalid_request');
  const anonymous = { method: 'POST', path: '/token/introspect', form: { token } };
  assertRefused(await call(program, anonymous), 401, 'invalid_client');
});

// proves rfc7662-2.1-3, rfc7662-2.2-2, rfc7662-2.3-2
test('what is no live access token is active false and nothing more, whatever the hint (RFC 7662 §2.2, §2.3)', async () => {
  const live = String((await tokenFor(client)).json['access_token']);
  for (const token of ['junk', `${live}x`, client.registration_access_token, client.client_secret]) {
    for (const token_type_hint of ['access_token', 'refresh_token', 'unknown']) {
      const answer = await introspect({ token, token_type_hint });
      assert.equal(`${answer.status} ${answer.text}`, '200 {"active":false}');
    }
  }
  assert.equal((await introspect({ token: live, token_type_hint: 'refresh_token' })).json['active'], true);
});

// proves rfc7662-2.1-1
test('introspection takes POST alone, and reads nothing in the query (RFC 7662 §2.1, §4)', async () => {
  const token = String((await tokenFor(client)).json['access_token']);
  const basic = [inspector.client_id, inspector.client_secret] as const;
  const path = `/token/introspect?token=${token}`;
  assert.equal((await call(program, { method: 'GET', path, basic })).status, 405);
  assertRefused(await call(program, { method: 'POST', path, basic, form: {} }), 400, 'invalid_request');
});

// proves rfc6750-3-1, rfc6750-3-5
test('a bearer token that does not enable introspection: 403 access_denied with a Bearer challenge of insufficient_scope (RFC 6750 §3, §3.1; decision 21)', async () => {
  const bearer = String((await tokenFor(client)).json['access_token']);
  const answer = await introspect({ token: 'x' }, bearer);
  assertRefused(answer, 403, 'access_denied');
  const scope = `${program.issuer}/token/introspect`;
  assert.equal(
    answer.headers.get('www-authenticate'),
    `Bearer error="insufficient_scope", error_description="the caller lacks the introspection scope", scope="${scope}"`,
  );
  const enabled = String((await tokenFor(inspector)).json['access_token']);
  assert.equal((await introspect({ token: bearer }, enabled)).json['active'], true);
});

// proves rfc7662-2.3-1, rfc6750-3-1
test('a bearer token that is not valid: 401 with a Bearer challenge of invalid_token (RFC 6750 §3, §3.1)', async () => {
  const answer = await introspect({ token: 'x' }, 'junk');
  assertRefused(answer, 401, 'invalid_client');
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/);
});

// proves rfc6750-2.1-1
test('the Bearer scheme is compared without regard to case (RFC 6750 §2.1; RFC 9110 §11.1)', async () => {
  const list = { method: 'GET', path: '/clients?limit=1' };
  for (const scheme of ['bearer', 'BEARER', 'Bearer']) {
    const headers = { authorization: `${scheme} ${program.masterToken}` };
    assert.equal((await call(program, { ...list, headers })).status, 200, scheme);
  }
});
