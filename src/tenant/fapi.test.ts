import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { selfSigned } from '../../test/tls/certificate.ts';
import { valuesOfProfile } from '../config/profiles.ts';
import { certifiedClient, shown } from '../testing/certificate.ts';
import { assertError } from '../testing/exchange.ts';
import { fapiKey, fapiMetadata } from '../testing/fapi.ts';
import {
  clientNamed,
  fapiTenant,
  fieldsOf,
  KEY,
  partOf,
  pushed,
  redeemed,
  registeredClient,
  returnedTo,
  sendPushed,
  switchedOn,
} from '../testing/fapi-tenant.ts';
import { answeredTo, aPerson, RELYING_PARTY } from '../testing/person.ts';
import { CALLBACK, DIRECT, ISSUER, MASTER, SERVICE, testTenant } from '../testing/tenant.ts';

const BOTH = ['fapi-2.0', 'fapi-2.0-message-signing'] as const;
const PROFILE = valuesOfProfile('fapi-2.0');

// proves fapi2-sp-5.3.2.1-4, fapi2-sp-5.3.2.1-5, fapi2-sp-5.3.2.2-2, fapi2-sp-5.3.2.2-7, fapi2-sp-5.3.2.2-12, fapi2-sp-5.4.1-1
test('fapi-2.0: a pushed request gives a code with iss, and a token that is bound to the key of the client (FAPI 2.0 Security Profile §5.3.2)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const answer = await pushed(tenant, client);
  assert.ok(Number(answer.json['expires_in']) < 600);
  const { code, iss } = fieldsOf(await returnedTo(tenant, client, answer));
  assert.equal(iss, ISSUER);
  const issued = await redeemed(tenant, client, code);
  assert.equal(issued.json['token_type'], 'DPoP', issued.body);
  assert.equal(partOf(issued.json['id_token'], 0)['alg'], 'PS256');
  const form = { ...client.credentials(), grant_type: 'refresh_token' };
  const refresh_token = String(issued.json['refresh_token']);
  const headers = { dpop: client.proof('/token') };
  const refreshed = await tenant.send('token', { form: { ...form, refresh_token }, headers });
  assert.equal(refreshed.json['token_type'], 'DPoP', refreshed.body);
  // §5.3.2.1 rule 9: no rotation.
  assert.equal(refreshed.json['refresh_token'] ?? refresh_token, refresh_token);
});

const REFUSED: readonly (readonly [what: string, metadata: object, words: RegExp])[] = [
  [
    'a public client',
    { token_endpoint_auth_method: 'none' },
    /^token_endpoint_auth_method 'none' must be one of private_key_jwt/,
  ],
  [
    'a secret',
    { token_endpoint_auth_method: 'client_secret_basic' },
    /^token_endpoint_auth_method 'client_secret_basic' must be/,
  ],
  [
    'a MAC',
    { token_endpoint_auth_method: 'client_secret_jwt' },
    /^token_endpoint_auth_method 'client_secret_jwt' must be/,
  ],
  [
    'no method, which means a secret',
    { token_endpoint_auth_method: undefined },
    /^token_endpoint_auth_method .?client_secret_basic.? must be one of/,
  ],
  [
    'assertions by RS256',
    { token_endpoint_auth_signing_alg: 'RS256' },
    /^token_endpoint_auth_signing_alg .?RS256.? must be one of PS256, ES256, EdDSA$/,
  ],
  [
    'request objects by RS256',
    { request_object_signing_alg: 'RS256' },
    /^request_object_signing_alg .?RS256.? must be one of PS256, ES256, EdDSA$/,
  ],
  [
    'ID tokens by RS256',
    { id_token_signed_response_alg: 'RS256' },
    /^id_token_signed_response_alg 'RS256' must be one of PS256, ES256, EdDSA/,
  ],
  [
    'responses by ES512',
    { authorization_signed_response_alg: 'ES512' },
    /^authorization_signed_response_alg 'ES512' must be one of PS256, ES256, EdDSA/,
  ],
  [
    'tokens without binding',
    { dpop_bound_access_tokens: false },
    /^dpop_bound_access_tokens false must be true, or tls_client_certificate_bound_access_tokens/,
  ],
  [
    'http',
    { redirect_uris: ['http://127.0.0.1/cb'] },
    /^redirect_uris\[0\] 'http:\/\/127\.0\.0\.1\/cb' must use https; http is allowed for loopback hosts of clients with application_type native only$/,
  ],
];

for (const [what, metadata, words] of REFUSED) {
  // proves fapi2-sp-5.3.2.1-3, fapi2-sp-5.3.2.1-6, fapi2-sp-5.3.2.2-8, fapi2-sp-5.4.1-1
  test(`fapi-2.0: a registration with ${what} is refused with what is allowed`, async () => {
    for (const profile of BOTH) {
      const json = { ...fapiMetadata(CALLBACK, KEY), ...metadata };
      const { status, json: refused } = await fapiTenant(profile).send('client-registration', {
        bearer: MASTER,
        json,
      });
      assert.equal(status, 400);
      assert.match(String(refused['error_description']), words);
    }
  });
}

test('fapi-2.0: a registration that leaves binding and algorithms to the server gets what the profile needs; native clients keep loopback addresses', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const { members } = await tenant.register({
    redirect_uris: ['http://127.0.0.1/cb'],
    application_type: 'native',
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
  });
  assert.equal(members['dpop_bound_access_tokens'], true);
  assert.equal(members['id_token_signed_response_alg'], 'PS256');
  assert.equal('dpop_bound_access_tokens' in (await testTenant().register(RELYING_PARTY)).members, false);
});

test('fapi-2.0: from a list of methods, the server takes one that the profile accepts (OpenID Connect Relying Party Metadata Choices 1.0 §2)', async () => {
  const { members } = await fapiTenant('fapi-2.0').register({
    ...fapiMetadata(CALLBACK, KEY),
    token_endpoint_auth_method: undefined,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
    id_token_signed_response_alg: undefined,
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
  });
  assert.equal(members['token_endpoint_auth_method'], 'private_key_jwt');
  assert.equal(members['id_token_signed_response_alg'], 'ES256');
});

// proves fapi2-sp-5.3.2.1-1, fapi2-sp-5.3.2.2-1
test('fapi-2.0: discovery says what the profile allows, and nothing else (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  for (const endpoint of ['openid-configuration', 'oauth-authorization-server']) {
    const { json } = await fapiTenant('fapi-2.0').send(endpoint);
    const algorithms = ['PS256', 'ES256', 'EdDSA'];
    const expected: Readonly<Record<string, unknown>> = {
      require_pushed_authorization_requests: true,
      require_signed_request_object: undefined,
      response_types_supported: ['code'],
      token_endpoint_auth_methods_supported: ['private_key_jwt'],
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      request_object_signing_alg_values_supported: algorithms,
      id_token_signing_alg_values_supported: algorithms,
      introspection_signing_alg_values_supported: algorithms,
      dpop_signing_alg_values_supported: algorithms,
      authorization_response_iss_parameter_supported: true,
      request_uri_parameter_supported: false,
    };
    for (const [member, value] of Object.entries(expected)) assert.deepEqual(json[member], value, member);
    const grants = json['grant_types_supported'] as readonly string[];
    assert.ok(!grants.includes('password') && !grants.includes('implicit'));
  }
});

// proves fapi2-sp-5.3.2.2-3, fapi2-sp-5.3.2.2-4, fapi2-sp-5.3.2.2-5, fapi2-sp-5.3.2.2-6
test('fapi-2.0: a request that was not pushed, or lacks PKCE or redirect_uri, gives no code (FAPI 2.0 Security Profile §5.3.2.2)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const ada = await aPerson(tenant);
  const plain = `${ISSUER}/authorize?${String(new URLSearchParams(client.parameters()))}`;
  const { error, error_description, code } = answeredTo(await ada.browser.open(plain));
  assert.deepEqual([error, code], ['invalid_request', undefined]);
  assert.equal(error_description, 'clients of this server must push their requests (RFC 9126)');
  const noChallenge = { code_challenge: undefined, code_challenge_method: undefined };
  assertError(await pushed(tenant, client, noChallenge), 'invalid_request', /code_challenge is missing/);
  const method = { code_challenge_method: 'plain' };
  assertError(await pushed(tenant, client, method), 'invalid_request', /must be S256/);
  assertError(
    await pushed(tenant, client, { redirect_uri: undefined }),
    'invalid_request',
    /redirect_uri is missing/,
  );
  const unproven = await sendPushed(tenant, client.parameters());
  assertError(unproven, 'invalid_client', /; this server accepts private_key_jwt$/);
});

// proves fapi2-sp-5.3.2.1-4
test('fapi-2.0: no grant gives a token without a proof of a key: 400 invalid_dpop_proof (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant, { ...SERVICE, redirect_uris: undefined });
  const form = { ...client.credentials(), grant_type: 'client_credentials' };
  assertError(await tenant.send('token', { form }), 'invalid_dpop_proof', /must send a DPoP proof/);
  const [old, { client_id }] = await switchedOn('fapi-2.0', {
    ...SERVICE,
    token_endpoint_auth_method: 'private_key_jwt',
    jwks: { keys: [KEY.jwk] },
  });
  const before = clientNamed(old, client_id);
  const again = { ...before.credentials(), grant_type: 'client_credentials' };
  assertError(
    await old.send('token', { form: again }),
    'invalid_dpop_proof',
    /this server binds every access token/,
  );
  const proven = await old.send('token', {
    form: { ...before.credentials(), grant_type: 'client_credentials' },
    headers: { dpop: before.proof('/token') },
  });
  assert.equal(proven.json['token_type'], 'DPoP', proven.body);
  const direct = await old.send('direct-authorization', {
    bearer: DIRECT,
    json: { sub: 'alice', scope: [] },
  });
  assert.equal(direct.status, 403);
});

// proves fapi2-sp-5.3.2.1-5, fapi2-sp-5.3.2.1-6
test('fapi-2.0: a client proves itself and binds its tokens by a certificate (RFC 8705)', async () => {
  const tenant = testTenant({ certificateAuthorities: [], settings: PROFILE });
  const identity = selfSigned();
  const metadata = { ...SERVICE, tls_client_certificate_bound_access_tokens: true };
  const jwk = new X509Certificate(identity.cert).publicKey.export({ format: 'jwk' });
  const { client_id, members } = await certifiedClient(tenant, {
    ...metadata,
    token_endpoint_auth_method: 'self_signed_tls_client_auth',
    jwks: { keys: [{ ...jwk, kid: 'tls' }] },
  });
  assert.equal('dpop_bound_access_tokens' in members, false);
  const form = { grant_type: 'client_credentials', client_id };
  const issued = await tenant.send('token', { form, certificate: shown(identity) });
  assert.equal(issued.json['token_type'], 'Bearer', issued.body);
});

// proves fapi2-sp-5.3.2.1-8
test('fapi-2.0: aud of an assertion is the issuer as a text; a list with it alone is 401 invalid_client (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  for (const aud of [[ISSUER], `${ISSUER}/token`, `${ISSUER}/par`, [ISSUER, `${ISSUER}/token`]])
    assertError(
      await sendPushed(tenant, { ...client.credentials({ aud }), ...client.parameters() }),
      'invalid_client',
    );
  const list = testTenant({ settings: { ...PROFILE, 'client-authentication.assertion-audience': 'issuer' } });
  const other = await registeredClient(list);
  const credentials = other.credentials({ aud: [ISSUER] });
  assert.equal((await sendPushed(list, { ...credentials, ...other.parameters() })).status, 201);
});

// proves fapi2-sp-5.4.1-1
test('fapi-2.0: an assertion, a request object and a DPoP proof by RS256 are refused (FAPI 2.0 Security Profile §5.4.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const key = fapiKey('RS256');
  const client = await registeredClient(tenant, { jwks: { keys: [key.jwk] } });
  const signed = { ...client.credentials({}, { ...key, algorithm: 'PS256' }), ...client.parameters() };
  assert.equal((await sendPushed(tenant, signed)).status, 201);
  const byRs256 = { ...client.credentials({}, key), ...client.parameters() };
  assertError(await sendPushed(tenant, byRs256), 'invalid_client');
  const request = client.requestObject({}, {}, {}, key);
  assertError(
    await sendPushed(tenant, { ...client.credentials({}, { ...key, algorithm: 'PS256' }), request }),
    'invalid_request_object',
    /its alg must be one of: PS256 ES256 EdDSA/,
  );
  const proof = client.dpop.proof({
    method: 'POST',
    address: `${ISSUER}/par`,
    now: tenant.clock.now(),
    header: { alg: 'RS256' },
  });
  const pushedAgain = { ...client.credentials({}, { ...key, algorithm: 'PS256' }), ...client.parameters() };
  assertError(
    await sendPushed(tenant, pushedAgain, { dpop: proof }),
    'invalid_dpop_proof',
    /an alg among PS256, ES256, EdDSA$/,
  );
});

test('fapi-2.0: a client that registered earlier is refused with the member that must change', async () => {
  const [tenant, { client_id }] = await switchedOn('fapi-2.0', {
    ...fapiMetadata(CALLBACK, KEY),
    id_token_signed_response_alg: 'RS256',
  });
  const client = clientNamed(tenant, client_id);
  const words =
    /^id_token_signed_response_alg RS256 of the registration is not accepted; must be one of PS256, ES256, EdDSA$/;
  assertError(await pushed(tenant, client), 'unauthorized_client', words);
  assertError(await redeemed(tenant, client, 'any'), 'unauthorized_client', words);
  const [secret, basic] = await switchedOn('fapi-2.0', RELYING_PARTY);
  const refused = await secret.send('token', {
    basic: [basic.client_id, basic.client_secret],
    form: { grant_type: 'authorization_code', code: 'any' },
  });
  assertError(
    refused,
    'invalid_client',
    /^client authentication failed; this server accepts private_key_jwt$/,
  );
  const [http, loopback] = await switchedOn('fapi-2.0', {
    ...fapiMetadata('http://127.0.0.1/cb', KEY),
  });
  const before = clientNamed(http, loopback.client_id);
  assertError(
    await pushed(http, before, { redirect_uri: 'http://127.0.0.1/cb' }),
    'unauthorized_client',
    /^redirect_uri must use https/,
  );
});
