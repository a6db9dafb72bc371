import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Answer,
  ask,
  assertJson,
  assertRefused,
  assertUncached,
  CALLBACK,
  call,
  manage,
  register,
  registrationOf,
  SERVICE,
  WEB_CLIENT,
} from './conformance-exchange.ts';

/**
 * RFC 7591 and OpenID Connect Dynamic Client Registration 1.0, sentence by sentence, against the started program. Names
 * in brackets that begin with `oidcc-` are modules of the OpenID Foundation's conformance suite.
 */
let program: Program;

before(async () => {
  program = await startProgram();
});

after(async () => await program.stop());

/** One who is refused at registration is refused in an update too, and the client stays what it was. */
async function assertNeverRegistered(metadata: object, error = 'invalid_client_metadata'): Promise<void> {
  assertRefused(await ask(program, metadata), 400, error);
  const client = await register(program, WEB_CLIENT);
  const update = { bearer: program.masterToken, json: metadata };
  assertRefused(await manage(program, client, 'PUT', update), 400, error);
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
}

/** Checks that the response and later reads show the submitted metadata. */
async function assertRegistered(metadata: Readonly<Record<string, unknown>>): Promise<void> {
  const client = await register(program, metadata);
  for (const members of [client.members, (await manage(program, client, 'GET')).json]) {
    for (const [name, value] of Object.entries(metadata)) assert.deepEqual(members[name], value, name);
  }
}

const JWK = {
  kty: 'EC',
  crv: 'P-256',
  kid: 'k1',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

// proves rfc7591-3-1, rfc7591-3.2-1, rfc7591-3.2.1-1, rfc7591-3.2.1-3, rfc7591-3.2.1-6
// proves openid-registration-3.2-2, openid-registration-3.2-3, openid-registration-3.2-4
// proves openid-registration-3.2-5
test('a registration: 201, JSON, client credentials, and both management credentials with an https address (OpenID Connect Dynamic Client Registration 1.0 §3.2)', async () => {
  const answer = await ask(program, { ...WEB_CLIENT, client_name: 'Conformance' });
  assert.equal(answer.status, 201);
  assertJson(answer);
  assertUncached(answer);
  const { json } = answer;
  assert.equal(json['error'], undefined);
  for (const member of ['client_id', 'client_secret', 'registration_access_token']) {
    assert.match(String(json[member]), /^[A-Za-z0-9]{24,}$/, member);
  }
  assert.equal(json['client_secret_expires_at'], 0, 'REQUIRED with a secret; 0: it does not expire');
  assert.equal(new URL(String(json['registration_client_uri'])).protocol, 'https:');
});

// proves rfc7591-3.2-1, openid-registration-3.2-5
test('POST /clients answers as POST /register does, with 200 (decision 4; RFC 7591 §3.2.1)', async () => {
  const [old, standard] = [await ask(program, WEB_CLIENT, '/clients'), await ask(program, WEB_CLIENT)];
  assert.deepEqual([old.status, standard.status], [200, 201]);
  assert.deepEqual(Object.keys(old.json), Object.keys(standard.json));
  for (const header of ['content-type', 'cache-control', 'pragma']) {
    assert.equal(old.headers.get(header), standard.headers.get(header));
  }
});

// proves rfc7591-3.2.1-1, rfc7591-3.2.1-2, openid-registration-3.2-2, openid-registration-3.2-3
test('no two clients have the same identifier, secret or registration token (RFC 7591 §3.2.1)', async () => {
  const clients = await Promise.all(
    Array.from({ length: 40 }, async () => await register(program, WEB_CLIENT)),
  );
  for (const member of ['client_id', 'client_secret', 'registration_access_token'] as const) {
    assert.equal(new Set(clients.map((client) => client[member])).size, clients.length, member);
  }
});

// proves rfc7591-2-5
test('a public client gets no secret, and no expiry of one (RFC 7591 §3.2.1)', async () => {
  const { members } = await register(program, { ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  assert.deepEqual([members['client_secret'], members['client_secret_expires_at']], [undefined, undefined]);
  assert.equal(typeof members['registration_access_token'], 'string');
});

// proves rfc7591-2-2, rfc7591-2.2-1, rfc7591-3.2.1-4, openid-registration-2-13, openid-registration-2.1-1
// proves openid-registration-3.2-1
test('every registered member is returned, provided ones too, by registration, GET and list alike (RFC 7591 §3.2.1; RFC 7592 §3)', async () => {
  const metadata = {
    ...WEB_CLIENT,
    client_name: 'Whole',
    'client_name#ja-Jpan-JP': 'クライアント名',
    contacts: ['ops@client.example'],
    scope: 'openid read',
    software_id: 'b9b1f9c4',
    software_version: '2.1',
    default_max_age: 3600,
    require_auth_time: true,
    default_acr_values: ['1'],
    post_logout_redirect_uris: ['https://client.example/bye'],
  };
  const client = await register(program, metadata);
  const provided = {
    grant_types: ['authorization_code'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
    subject_type: 'public',
  };
  for (const [name, value] of Object.entries({ ...metadata, ...provided })) {
    assert.deepEqual(client.members[name], value, name);
  }
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
  const list = await call(program, { method: 'GET', path: '/clients', bearer: program.masterToken });
  const all = JSON.parse(list.text) as readonly Readonly<Record<string, unknown>>[];
  assert.deepEqual(
    all.find(({ client_id }) => client_id === client.client_id),
    client.members,
  );
});

// proves rfc7591-2-3, openid-registration-2-3
test('a client that names its redirect_uris alone gets the defaults of code flow, web and client_secret_basic (RFC 7591 §2; OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const { members } = await register(program, WEB_CLIENT);
  assert.deepEqual(members['grant_types'], ['authorization_code']);
  assert.deepEqual(members['response_types'], ['code']);
  assert.equal(members['application_type'], 'web');
  assert.equal(members['token_endpoint_auth_method'], 'client_secret_basic');
  assert.equal(members['id_token_signed_response_alg'], 'RS256');
  assert.ok(members['require_auth_time'] === undefined || members['require_auth_time'] === false);
});

// proves rfc7591-2-1, openid-registration-3.1-2
test('members that are not understood are ignored and not kept (RFC 7591 §2; OpenID Connect Dynamic Client Registration 1.0 §3.1)', async () => {
  const { members } = await register(program, { ...WEB_CLIENT, favourite_colour: 'red' });
  assert.equal('favourite_colour' in members, false);
});

// proves rfc7591-3-1, rfc7591-3.1-1, openid-registration-3.1-1
test('the registration endpoint reads a JSON object in a POST and nothing else (RFC 7591 §3, §3.1)', async () => {
  const post = { method: 'POST', path: '/register', bearer: program.masterToken };
  const redirect_uris = CALLBACK;
  assertRefused(await call(program, { ...post, form: { redirect_uris } }), 400, 'invalid_request');
  assertRefused(await call(program, { ...post, json: [WEB_CLIENT] }), 400, 'invalid_request');
  for (const method of ['PUT', 'PATCH', 'DELETE', 'GET']) {
    const answer = await call(program, { ...post, method });
    assert.equal(answer.status, 405, method);
    assert.match(answer.headers.get('allow') ?? '', /POST/);
  }
});

// proves rfc7591-3.2.2-1, openid-registration-3.3-3, rfc6750-3.1-1
test('an initial access token that is not valid: 401 invalid_token with a Bearer challenge (RFC 7591 §3.2.2; RFC 6750 §3.1)', async () => {
  const answer = await call(program, {
    method: 'POST',
    path: '/register',
    bearer: 'nobodys',
    json: WEB_CLIENT,
  });
  assertRefused(answer, 401, 'invalid_token');
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token"/);
});

// proves rfc7591-2-2, rfc7591-5-1, openid-registration-2-1
test('a redirection flow without redirect_uris: 400 invalid_redirect_uri (RFC 7591 §5; OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  for (const grant_types of [['authorization_code'], ['implicit']]) {
    const response_types = grant_types[0] === 'implicit' ? ['id_token'] : ['code'];
    await assertNeverRegistered({ grant_types, response_types }, 'invalid_redirect_uri');
    await assertNeverRegistered({ grant_types, response_types, redirect_uris: [] }, 'invalid_redirect_uri');
  }
});

// proves rfc7591-2-4, openid-registration-2-1
test('a client without a redirection flow needs no redirect_uris (RFC 7591 §2; interface)', async () => {
  const { members } = await register(program, SERVICE);
  assert.deepEqual([members['redirect_uris'], members['response_types']], [undefined, []]);
});

// proves rfc7591-3.2.2-3, rfc7591-5-2
test('redirect_uris are https, http on the local machine, or app-specific (RFC 7591 §5)', async () => {
  for (const uri of ['http://client.example/cb', 'ftp://client.example/cb', 'javascript:alert(1)', '/cb']) {
    await assertNeverRegistered({ redirect_uris: [uri] }, 'invalid_redirect_uri');
  }
  await assertRegistered({ redirect_uris: [CALLBACK, 'http://localhost:8080/cb'] });
});

// proves rfc7591-3.2.2-3, openid-registration-3.3-1, openid-registration-3.3-2
test('a redirection URI with a fragment is 400 JSON, invalid_redirect_uri (OpenID Connect Dynamic Client Registration 1.0 §3.3; RFC 6749 §3.1.2)', async () => {
  await assertNeverRegistered({ redirect_uris: [`${CALLBACK}#foobar`] }, 'invalid_redirect_uri');
});

// proves openid-registration-3.2-1
test('a query of a redirection URI is kept letter for letter (RFC 6749 §3.1.2)', async () => {
  await assertRegistered({ redirect_uris: [`${CALLBACK}?foo=bar&x=%C3%A9`, `${CALLBACK}?dummy1=lorem`] });
});

// proves openid-registration-2-4
test('a web client of the implicit grant: https alone, and not localhost (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const implicit = { grant_types: ['implicit'], response_types: ['id_token'], application_type: 'web' };
  for (const uri of ['http://localhost/cb', 'http://127.0.0.1/cb', 'https://localhost/cb']) {
    await assertNeverRegistered({ ...implicit, redirect_uris: [uri] }, 'invalid_redirect_uri');
  }
  await assertRegistered({ ...implicit, redirect_uris: [CALLBACK] });
});

// proves rfc7591-5-2, openid-registration-2-5
test('a native client: private-use schemes and http on the loopback interface, no other http (OpenID Connect Dynamic Client Registration 1.0 §2; RFC 8252 §7)', async () => {
  const native = { application_type: 'native', token_endpoint_auth_method: 'none' };
  const loopback = ['http://localhost/cb', 'http://127.0.0.1:8400/cb', 'http://[::1]/cb'];
  await assertRegistered({ ...native, redirect_uris: ['com.example.app:/cb', ...loopback] });
  for (const uri of ['http://client.example/cb', 'http://192.0.2.1/cb', 'http://localhost.example/cb']) {
    await assertNeverRegistered({ ...native, redirect_uris: [uri] }, 'invalid_redirect_uri');
  }
});

// proves rfc7591-2.1-1, openid-registration-2-2
test('response types go with their grant types, one by one (OpenID Connect Dynamic Client Registration 1.0 §2; RFC 7591 §2.1)', async () => {
  const [code, implicit] = ['authorization_code', 'implicit'];
  const needs: readonly (readonly [response_type: string, grants: readonly string[]])[] = [
    ['code', [code]],
    ['id_token', [implicit]],
    ['id_token token', [implicit]],
    ['code id_token', [code, implicit]],
    ['code token', [code, implicit]],
    ['code id_token token', [code, implicit]],
  ];
  for (const [response_type, grant_types] of needs) {
    const asked = { ...WEB_CLIENT, response_types: [response_type] };
    await assertRegistered({ ...asked, grant_types });
    for (const missing of grant_types) {
      const others = [code, implicit].filter((grant) => grant !== missing);
      assertRefused(await ask(program, { ...asked, grant_types: others }), 400, 'invalid_client_metadata');
    }
  }
});

// proves rfc7591-2-6, openid-registration-2-6
test('jwks and jwks_uri together: 400 (RFC 7591 §2; OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const jwks_uri = 'https://client.example/jwks.json';
  await assertNeverRegistered({ ...WEB_CLIENT, jwks: { keys: [JWK] }, jwks_uri });
  await assertRegistered({ ...WEB_CLIENT, jwks: { keys: [JWK] } });
});

// proves openid-registration-2-7
test('a jwks with a private or a symmetric key: 400 (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const secret = { ...JWK, d: 'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI' };
  for (const key of [
    secret,
    { kty: 'oct', kid: 'k1', k: 'AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75' },
  ]) {
    await assertNeverRegistered({ ...WEB_CLIENT, jwks: { keys: [key] } });
  }
});

// proves openid-registration-9.2-1
test('jwks_uri: kept as sent; only https (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertRegistered({ ...WEB_CLIENT, jwks_uri: 'https://client.example/jwks.json' });
  await assertNeverRegistered({ ...WEB_CLIENT, jwks_uri: 'http://client.example/jwks.json' });
});

// proves openid-registration-2-8
test('subject_type is one that the server has (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertRegistered({ ...WEB_CLIENT, subject_type: 'pairwise' });
  await assertNeverRegistered({ ...WEB_CLIENT, subject_type: 'ephemeral' });
});

// proves openid-core-8.1-1
test('pairwise with redirect_uris of several hosts needs a sector_identifier_uri (OpenID Connect Core 1.0 §8.1)', async () => {
  const redirect_uris = [CALLBACK, 'https://other.example/cb'];
  await assertNeverRegistered({ redirect_uris, subject_type: 'pairwise' });
});

// proves openid-registration-5-1, openid-registration-9.2-1
test('sector_identifier_uri is https (OpenID Connect Dynamic Client Registration 1.0 §5)', async () => {
  await assertNeverRegistered({ ...WEB_CLIENT, sector_identifier_uri: 'http://client.example/sector.json' });
});

test('id_token_signed_response_alg and userinfo_signed_response_alg: the algorithms are kept (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertRegistered({
    ...WEB_CLIENT,
    id_token_signed_response_alg: 'RS256',
    userinfo_signed_response_alg: 'RS256',
  });
});

// proves openid-registration-2-9
test('id_token_signed_response_alg none: it is refused, since this server signs every ID token (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertNeverRegistered({ ...WEB_CLIENT, id_token_signed_response_alg: 'none' });
});

// proves openid-registration-2-10
test('an encryption without its key management: 400; the key management alone brings A128CBC-HS256 (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const encrypted = [
    'id_token_encrypted_response',
    'userinfo_encrypted_response',
    'request_object_encryption',
  ];
  for (const what of encrypted) {
    await assertNeverRegistered({ ...WEB_CLIENT, jwks: { keys: [JWK] }, [`${what}_enc`]: 'A128GCM' });
    const alone = { ...WEB_CLIENT, jwks: { keys: [JWK] }, [`${what}_alg`]: 'ECDH-ES' };
    assert.equal((await register(program, alone)).members[`${what}_enc`], 'A128CBC-HS256');
  }
});

// proves openid-registration-2-11
test('token_endpoint_auth_signing_alg none: 400 (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertNeverRegistered({ ...WEB_CLIENT, token_endpoint_auth_signing_alg: 'none' });
});

// proves rfc7591-3.2.2-2
test('a client authentication method that the server does not have: 400 (RFC 7591 §2)', async () => {
  await assertNeverRegistered({ ...WEB_CLIENT, token_endpoint_auth_method: 'client_password' });
});

// proves openid-registration-2-12
test('initiate_login_uri is kept as sent (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertRegistered({ ...WEB_CLIENT, initiate_login_uri: 'https://client.example/login' });
});

// proves openid-registration-2-12, openid-registration-3.3-2
test('initiate_login_uri without https is 400 JSON, invalid_client_metadata (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  await assertNeverRegistered({ ...WEB_CLIENT, initiate_login_uri: 'http://client.example/login' });
});

// proves openid-registration-2-15
test('logo_uri, policy_uri, tos_uri: kept as sent, in every language (OpenID Connect Dynamic Client Registration 1.0 §2.1)', async () => {
  await assertRegistered({
    ...WEB_CLIENT,
    logo_uri: 'https://client.example/logo.png',
    policy_uri: 'https://client.example/policy',
    tos_uri: 'https://client.example/tos',
    'tos_uri#fr-CA': 'https://client.example/conditions',
    'client_uri#de': 'https://client.example/de',
  });
});

// proves rfc7591-3.2.2-2, openid-registration-2-13, openid-registration-3.3-1
test('values of the wrong type: 400 invalid_client_metadata (OpenID Connect Dynamic Client Registration 1.0 §2)', async () => {
  const wrong = {
    default_max_age: '3600',
    require_auth_time: 'true',
    default_acr_values: '1',
    contacts: 'a',
  };
  for (const [name, value] of Object.entries(wrong)) {
    await assertNeverRegistered({ ...WEB_CLIENT, [name]: value });
  }
});

// proves rfc7591-2.2-1, openid-registration-2.1-1, openid-registration-6-1
test('strings are compared by code points: nothing is normalised (OpenID Connect Dynamic Client Registration 1.0 §6)', async () => {
  const [composed, decomposed] = ['Caf\u00e9', 'Cafe\u0301'];
  await assertRegistered({ ...WEB_CLIENT, client_name: decomposed, 'client_name#fr': composed });
  const escaped = '{"redirect_uris":["https:\\/\\/client.example\\/\\u0063allback"]}';
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${program.masterToken}` };
  const raw = await fetch(`${program.url}/register`, { method: 'POST', headers, body: escaped });
  const { redirect_uris } = (await raw.json()) as { redirect_uris?: unknown };
  assert.deepEqual(redirect_uris, [CALLBACK], 'JSON escapes are undone first');
});

// proves rfc7591-3-2
test('registration_endpoint: advertised, https, and it answers 201 (OpenID Connect Discovery 1.0 §3)', async () => {
  const discovered = await call(program, { method: 'GET', path: '/.well-known/openid-configuration' });
  const endpoints = Object.entries(discovered.json).filter(([name]) => name.endsWith('_endpoint'));
  assert.ok(endpoints.length >= 3, discovered.text);
  for (const [name, address] of endpoints) assert.match(String(address), /^https:\/\//, name);
  const path = new URL(String(discovered.json['registration_endpoint'])).pathname;
  const answer: Answer = await ask(program, WEB_CLIENT, path);
  assert.equal(answer.status, 201);
  assert.notEqual(registrationOf(answer).client_id, '');
});
