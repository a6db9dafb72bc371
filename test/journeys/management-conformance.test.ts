import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Answer,
  assertInvalidToken,
  assertJson,
  assertRefused,
  assertUncached,
  CALLBACK,
  call,
  manage,
  type Registration,
  register,
  registrationOf,
  SERVICE,
  WEB_CLIENT,
} from './conformance-exchange.ts';

/**
 * RFC 7592, sentence by sentence, against the started program. Names in brackets that begin with `fapi2-` are modules of
 * the OpenID Foundation's conformance suite, as far as they are not about the Brazilian directory and mutual TLS.
 */
let program: Program;

before(async () => {
  program = await startProgram();
});

after(async () => await program.stop());

async function tokenOf({ client_id, client_secret }: Registration): Promise<Answer> {
  const form = { grant_type: 'client_credentials' };
  return await call(program, { method: 'POST', path: '/token', basic: [client_id, client_secret], form });
}

// proves rfc7592-2.1-4, openid-registration-4.3-1
test('GET gives 200 JSON with identifier, redirect URIs, address and token of the registration (RFC 7592 §2.1, §3)', async () => {
  const client = await register(program, { ...WEB_CLIENT, client_name: 'Happy' });
  const read = await manage(program, client, 'GET');
  assert.equal(read.status, 200);
  assertJson(read);
  assertUncached(read);
  assert.equal(read.json['client_id'], client.client_id);
  assert.deepEqual(read.json['redirect_uris'], [CALLBACK]);
  assert.equal(read.json['registration_client_uri'], client.registration_client_uri);
  assert.equal(read.json['registration_access_token'], client.registration_access_token);
});

// proves rfc7592-3-1, rfc7592-b-1
test('registration_client_uri is whole, below the issuer, and needs nothing added to it (RFC 7592 §3, Appendix B)', async () => {
  const client = await register(program, WEB_CLIENT);
  const uri = new URL(client.registration_client_uri);
  assert.equal(uri.href, `${program.issuer}/clients/${client.client_id}`);
  assert.equal((await manage(program, client, 'GET')).status, 200);
});

// proves rfc7592-2.1-5, openid-registration-4.2-1
test('reading changes nothing: the same bytes each time (RFC 7592 §2.1; OpenID Connect Dynamic Client Registration 1.0 §4.2)', async () => {
  const client = await register(program, WEB_CLIENT);
  const first = await manage(program, client, 'GET');
  assert.equal((await manage(program, client, 'GET')).text, first.text);
  assert.deepEqual(first.json, client.members);
});

// proves rfc7592-2-2
test('a method that the client configuration endpoint does not have: 405 with Allow (RFC 7592 §2)', async () => {
  const client = await register(program, WEB_CLIENT);
  for (const method of ['POST', 'PATCH']) {
    const answer = await manage(program, client, method, { json: WEB_CLIENT });
    assert.equal(answer.status, 405, method);
    for (const known of ['GET', 'PUT', 'DELETE']) {
      assert.ok(answer.headers.get('allow')?.split(', ').includes(known), known);
    }
  }
});

// proves rfc7592-2-3, rfc6750-2.2-1
test('the registration token is read from the Authorization header alone (RFC 7592 §2; RFC 6750 §2)', async () => {
  const client = await register(program, WEB_CLIENT);
  const token = client.registration_access_token;
  const path = `/clients/${client.client_id}`;
  const query = await call(program, { method: 'GET', path: `${path}?access_token=${token}` });
  const form = { access_token: token };
  for (const answer of [query, await call(program, { method: 'DELETE', path, form })]) {
    assertRefused(answer, 401, 'invalid_token');
    assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
  }
});

// proves rfc7592-2.1-1, openid-registration-4.4-1
test('with a wrong registration token GET, PUT and DELETE are 401 and name no client, which stays (RFC 7592 §2.1)', async () => {
  const [client, other] = [await register(program, WEB_CLIENT), await register(program, WEB_CLIENT)];
  const wrong = ['invalid', `${client.registration_access_token}x`, other.registration_access_token];
  for (const bearer of [...wrong, client.client_secret]) {
    assertInvalidToken(await manage(program, client, 'GET', { bearer }));
    assertInvalidToken(await manage(program, client, 'PUT', { bearer, json: WEB_CLIENT }));
    assertInvalidToken(await manage(program, client, 'DELETE', { bearer }));
  }
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
});

// proves rfc7592-2.1-3, openid-registration-4.4-2
test('an access token of the client is no registration token: 403, and nothing changes (RFC 7592 §2.1, §2.2, §2.3)', async () => {
  const client = await register(program, SERVICE);
  const bearer = String((await tokenOf(client)).json['access_token']);
  assertRefused(await manage(program, client, 'GET', { bearer }), 403, 'insufficient_scope');
  assertRefused(await manage(program, client, 'PUT', { bearer, json: SERVICE }), 403, 'insufficient_scope');
  assertRefused(await manage(program, client, 'DELETE', { bearer }), 403, 'insufficient_scope');
  assert.deepEqual((await manage(program, client, 'GET')).json, client.members);
});

// proves rfc7592-2.1-2, rfc7592-2.3-1, rfc7592-2.3-2, rfc7592-5-1, openid-registration-4.4-1
test('DELETE: 204 without a body, then 401 for GET and DELETE, and 401 invalid_client at the token endpoint (RFC 7592 §2.3, §5)', async () => {
  const client = await register(program, SERVICE);
  const issued = await tokenOf(client);
  assert.equal(issued.status, 200, issued.text);
  const deleted = await manage(program, client, 'DELETE');
  assert.equal(`${deleted.status} ${deleted.text}`, '204 ');
  assertInvalidToken(await manage(program, client, 'GET'));
  assertInvalidToken(await manage(program, client, 'DELETE'));
  assertRefused(await tokenOf(client), 401, 'invalid_client');
});

// proves rfc7592-2.3-2
test('DELETE ends the access tokens of the client at once (RFC 7592 §2.3)', async () => {
  const scope = `${program.issuer}/token/introspect`;
  const inspector = await register(program, { ...SERVICE, scope });
  const client = await register(program, SERVICE);
  const token = String((await tokenOf(client)).json['access_token']);
  const basic = [inspector.client_id, inspector.client_secret] as const;
  const inspect = { method: 'POST', path: '/token/introspect', basic, form: { token } };
  assert.equal((await call(program, inspect)).json['active'], true);
  assert.equal((await manage(program, client, 'DELETE')).status, 204);
  assert.equal((await call(program, inspect)).text, '{"active":false}');
});

// proves rfc7592-2.2-1, rfc7592-2.2-7, rfc7592-3-1, rfc7592-3-3
test('PUT: the whole registration is sent back with a further redirect URI: 200, and GET shows it (RFC 7592 §2.2, §3)', async () => {
  const client = await register(program, { ...WEB_CLIENT, client_name: 'Before' });
  const redirect_uris = [CALLBACK, `${CALLBACK}?dummy1=lorem&dummy2=ipsum`];
  const answer = await manage(program, client, 'PUT', { json: { ...client.members, redirect_uris } });
  assert.equal(answer.status, 200, answer.text);
  assertJson(answer);
  assertUncached(answer);
  const updated = registrationOf(answer);
  assert.equal(updated.client_id, client.client_id);
  assert.equal(updated.registration_client_uri, client.registration_client_uri);
  assert.deepEqual(updated.members['redirect_uris'], redirect_uris);
  assert.equal(updated.members['client_name'], 'Before');
  assert.deepEqual((await manage(program, updated, 'GET')).json, updated.members);
  assertInvalidToken(await manage(program, client, 'PUT', { json: WEB_CLIENT }));
});

// proves rfc7592-2.2-1, rfc7592-2.2-2
test('PUT replaces and does not add: what is left out, null or a default again is gone (RFC 7592 §2.2)', async () => {
  const client = await register(program, {
    ...WEB_CLIENT,
    client_name: 'Gone',
    contacts: ['ops@client.example'],
    application_type: 'native',
    default_max_age: 60,
  });
  const other = 'https://client.example/other';
  const json = { client_id: client.client_id, redirect_uris: [other], contacts: null, client_name: null };
  const { members } = registrationOf(await manage(program, client, 'PUT', { json }));
  assert.deepEqual(members['redirect_uris'], [other]);
  assert.equal(members['application_type'], 'web');
  for (const name of ['client_name', 'contacts', 'default_max_age'])
    assert.equal(name in members, false, name);
});

// proves rfc7592-2.2-3
test('PUT with the identifier of another client: 400, and neither changes (RFC 7592 §2.2)', async () => {
  const [client, other] = [await register(program, WEB_CLIENT), await register(program, WEB_CLIENT)];
  const json = { ...WEB_CLIENT, client_id: other.client_id, client_name: 'Mine' };
  assertRefused(await manage(program, client, 'PUT', { json }), 400, 'invalid_request');
  for (const each of [client, other]) {
    assert.deepEqual((await manage(program, each, 'GET')).json, each.members);
  }
});

// proves rfc7592-2.2-3
test('PUT without client_id is an update of the addressed client (decision 9)', async () => {
  const client = await register(program, WEB_CLIENT);
  const json = { ...WEB_CLIENT, client_name: 'After' };
  const answer = await manage(program, client, 'PUT', { json });
  assert.deepEqual([answer.status, answer.json['client_id']], [200, client.client_id]);
});

// proves rfc7592-2.2-6
test('no client chooses its secret in an update: its own value is not taken (RFC 7592 §2.2; decision 9)', async () => {
  const client = await register(program, SERVICE);
  const client_secret = 'x'.repeat(43);
  const answer = await manage(program, client, 'PUT', { json: { ...SERVICE, client_secret } });
  assert.equal(answer.status, 200);
  const updated = registrationOf(answer);
  assert.notEqual(updated.client_secret, client_secret);
  assert.equal((await tokenOf({ ...updated, client_secret })).status, 401);
  assert.equal((await tokenOf(updated)).status, 200);
  const prefers = { ...SERVICE, preferred_client_secret: client_secret };
  const open = await register(program, WEB_CLIENT);
  assert.equal((await manage(program, open, 'PUT', { json: prefers })).status, 403);
});

// proves rfc7592-2.2-4
test('the members of the server in an update are ignored, whatever they hold (RFC 7592 §2.2; decision 9)', async () => {
  const client = await register(program, WEB_CLIENT);
  const json = {
    ...WEB_CLIENT,
    registration_access_token: 'mine',
    registration_client_uri: 'https://evil.example/',
    client_secret_expires_at: 1,
    client_id_issued_at: 1,
  };
  const { members } = registrationOf(await manage(program, client, 'PUT', { json }));
  for (const name of ['registration_client_uri', 'client_secret_expires_at', 'client_id_issued_at']) {
    assert.equal(members[name], client.members[name], name);
  }
  assert.notEqual(members['registration_access_token'], 'mine');
});

async function assertUpdateRefused(metadata: object, error: string): Promise<void> {
  const client = await register(program, WEB_CLIENT);
  const json = { ...client.members, ...metadata };
  assertRefused(await manage(program, client, 'PUT', { json }), 400, error);
  assert.deepEqual(
    (await manage(program, client, 'GET')).json,
    client.members,
    'the old token and secret live',
  );
}

// proves rfc7592-2.2-8
test('PUT with a redirect URI that breaks a rule: 400 invalid_redirect_uri, and nothing changes (RFC 7592 §2.2; RFC 7591 §3.2.2)', async () => {
  await assertUpdateRefused({ redirect_uris: ['http://client.example/cb'] }, 'invalid_redirect_uri');
  await assertUpdateRefused({ redirect_uris: [CALLBACK, `${CALLBACK}#x`] }, 'invalid_redirect_uri');
});

// proves rfc7592-2.2-8, openid-conformance-30
test('fapi2-security-profile-final-brazildcr-update-client-config-bad-jwks-uri: 400 invalid_client_metadata, and nothing changes (RFC 7592 §2.2)', async () => {
  for (const jwks_uri of ['http://client.example/jwks.json', 'not a URL', 'https://127.0.0.1/jwks.json']) {
    await assertUpdateRefused({ jwks_uri }, 'invalid_client_metadata');
  }
});

// proves openid-conformance-31
test('fapi2-security-profile-final-brazildcr-update-client-config-invalid-jwks-by-value: 400 invalid_client_metadata, and nothing changes (RFC 7592 §2.2)', async () => {
  for (const jwks of [{ keys: [] }, { keys: [{ kty: 'RSA' }] }, { keys: 'none' }, [1]]) {
    await assertUpdateRefused({ jwks }, 'invalid_client_metadata');
  }
});

test('no redirect URI for a flow that needs one: 400 JSON invalid_redirect_uri, at registration and in an update (RFC 7591 §3.2.2)', async () => {
  const json = { grant_types: ['authorization_code', 'refresh_token', 'client_credentials'] };
  const post = { method: 'POST', path: '/register', bearer: program.masterToken, json };
  assertRefused(await call(program, post), 400, 'invalid_redirect_uri');
  await assertUpdateRefused({ redirect_uris: null }, 'invalid_redirect_uri');
});

// proves rfc7592-2.1-2, openid-registration-4.4-3
test('the master token at an identifier that does not exist: 404 without a body, a registration token 401 (interface; decision 6; OpenID Connect Dynamic Client Registration 1.0 §4.4)', async () => {
  const client = await register(program, WEB_CLIENT);
  const request = { method: 'GET', path: '/clients/unknown' };
  const master = await call(program, { ...request, bearer: program.masterToken });
  assert.equal(`${master.status} ${master.text}`, '404 ');
  assertInvalidToken(await call(program, { ...request, bearer: client.registration_access_token }));
});

// proves rfc7592-3-2, openid-registration-3.2-4
test('registration.open-idempotent: identical public clients share one registration, without a registration token (RFC 7591 §3.2.1)', async () => {
  const shared = await startProgram({
    environment: {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      CHANCERY_REGISTRATION_OPEN_IDEMPOTENT: 'true',
    },
  });
  try {
    const json = { ...WEB_CLIENT, token_endpoint_auth_method: 'none' };
    const post = { method: 'POST', path: '/register', json };
    const [first, second] = [await call(shared, post), await call(shared, post)];
    assert.deepEqual([first.status, second.json], [201, first.json]);
    for (const name of ['client_secret', 'registration_access_token', 'registration_client_uri']) {
      assert.equal(name in first.json, false, name);
    }
    const other = await call(shared, { ...post, json: { ...json, client_name: 'Other' } });
    assert.notEqual(other.json['client_id'], first.json['client_id']);
  } finally {
    await shared.stop();
  }
});
