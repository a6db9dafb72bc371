import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactDecrypt, decodeJwt, exportJWK, generateKeyPair, jwtVerify } from 'jose';
import { selfSigned } from '../../../test/tls/certificate.ts';
import { deleteAccount } from '../../sessions/manage-account.ts';
import { assertBusy, busyOutbound } from '../../testing/busy-outbound.ts';
import { shown } from '../../testing/certificate.ts';
import { ACTOR } from '../../testing/end-users.ts';
import {
  assertBodiless,
  assertError,
  assertInvalidToken,
  assertMissingScopes,
  assertUncached,
} from '../../testing/exchange.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { INTROSPECTION_SCOPE, ISSUER, SERVICE, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const tenant = testTenant();

const client = await tenant.register(RELYING_PARTY);

const CLAIMS = {
  name: 'Ada Lovelace',
  given_name: 'Ada',
  'given_name#fr': 'Adélaïde',
  email: 'ada@example.com',
  email_verified: true,
  phone_number: '+44 1',
  address: { country: 'UK' },
  birthdate: '1815-12-10',
};

const ada = await aPerson(tenant, { username: 'Ada', password: 'correct horse', claims: CLAIMS });

const { sub } = ada.account;

/** When the account was made. */
const updated_at = tenant.clock.now();

const ROWS: readonly (readonly [module: string, scope: string, claims: object])[] = [
  ['openid alone', 'openid', {}],
  ['scope email', 'openid email', { email: 'ada@example.com', email_verified: true }],
  ['scope phone', 'openid phone', { phone_number: '+44 1' }],
  ['scope address', 'openid address', { address: { country: 'UK' } }],
  [
    'scope profile',
    'openid profile',
    {
      preferred_username: 'Ada',
      name: 'Ada Lovelace',
      given_name: 'Ada',
      'given_name#fr': 'Adélaïde',
      birthdate: '1815-12-10',
      updated_at,
    },
  ],
  ['all scopes', 'openid profile email address phone', { preferred_username: 'Ada', ...CLAIMS, updated_at }],
];

for (const [module, scope, claims] of ROWS) {
  // proves openid-core-5.3-1, openid-core-5.4-1
  test(`200: GET /userinfo, ${module}: what the scope asks for, and nothing else (OpenID Connect Core 1.0 §5.4)`, async () => {
    const { access_token } = await tokensFor(tenant, ada, client, { scope });
    const answered = await tenant.send('userinfo', { bearer: String(access_token) });
    assert.equal(answered.status, 200, answered.body);
    assert.deepEqual(answered.json, { ...claims, sub });
    assert.equal(answered.headers['content-type'], 'application/json');
    assertUncached(answered);
  });
}

// proves openid-core-5.5-1
test('200: claims that are asked for one by one are told where they were asked for (OpenID Connect Core 1.0 §5.5)', async () => {
  const claims = JSON.stringify({
    userinfo: { birthdate: { essential: true }, unheard_of: null },
    id_token: { email: null },
  });
  const { access_token, id_token } = await tokensFor(tenant, ada, client, { claims });
  const answered = await tenant.send('userinfo', { bearer: String(access_token) });
  assert.deepEqual(answered.json, { birthdate: '1815-12-10', sub });
  const said = decodeJwt(String(id_token));
  assert.deepEqual([said['email'], said['birthdate']], ['ada@example.com', undefined]);
});

// proves openid-core-5.3-1
test('200: POST /userinfo with the token in the header or in the form (RFC 6750 §2.2)', async () => {
  const access_token = String((await tokensFor(tenant, ada, client))['access_token']);
  const [inHeader, inForm] = [
    await tenant.send('userinfo-post', { bearer: access_token, contentType: null }),
    await tenant.send('userinfo-post', { form: { access_token } }),
  ];
  assert.deepEqual(inHeader.json, { sub });
  assert.deepEqual(inForm.json, { sub });
});

// proves openid-core-5.3.2-1
test('200: a JWT where the client has registered that, signed, with iss and aud (OpenID Connect Core 1.0 §5.3.2)', async () => {
  const signed = await tenant.register({ ...RELYING_PARTY, userinfo_signed_response_alg: 'RS256' });
  const { access_token } = await tokensFor(tenant, ada, signed, { scope: 'openid email' });
  const answered = await tenant.send('userinfo', { bearer: String(access_token) });
  assert.equal(answered.headers['content-type'], 'application/jwt');
  const keys = await (await publishedKeys()).verificationKeys();
  const { payload, protectedHeader } = await jwtVerify(answered.body, ({ kid }) => {
    const key = keys.find((each) => each['kid'] === kid);
    return crypto.subtle.importKey(
      'jwk',
      (key ?? assert.fail()) as never,
      { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
      false,
      ['verify'],
    );
  });
  assert.equal(protectedHeader.alg, 'RS256');
  const told = { sub, email: 'ada@example.com', email_verified: true };
  assert.deepEqual(payload, { ...told, iss: ISSUER, aud: signed.client_id });
});

for (const alg of [undefined, 'ES256']) {
  // proves openid-core-5.3.2-1
  test(`200: encrypted, ${alg === undefined ? 'and not signed' : 'after signing'}, where the client has registered that (OpenID Connect Core 1.0 §5.3.2)`, async () => {
    const { publicKey, privateKey } = await generateKeyPair('ECDH-ES', { extractable: true });
    const encrypted = await tenant.register({
      ...RELYING_PARTY,
      jwks: { keys: [{ ...(await exportJWK(publicKey)), use: 'enc' }] },
      userinfo_encrypted_response_alg: 'ECDH-ES',
      ...(alg === undefined ? {} : { userinfo_signed_response_alg: alg }),
    });
    const { access_token } = await tokensFor(tenant, ada, encrypted);
    const answered = await tenant.send('userinfo', { bearer: String(access_token) });
    assert.equal(answered.headers['content-type'], 'application/jwt');
    const { plaintext, protectedHeader } = await compactDecrypt(answered.body, privateKey);
    const text = Buffer.from(plaintext).toString();
    const claims: unknown = alg === undefined ? JSON.parse(text) : decodeJwt(text);
    assert.deepEqual(claims, { sub, iss: ISSUER, aud: encrypted.client_id });
    assert.equal(protectedHeader.cty, alg === undefined ? undefined : 'JWT');
  });
}

// proves openid-core-5.3.2-1
test('200: a pairwise client is told the subject that its ID tokens have (OpenID Connect Core 1.0 §5.3.2)', async () => {
  const pairwise = await tenant.register({ ...RELYING_PARTY, subject_type: 'pairwise' });
  const { access_token, id_token } = await tokensFor(tenant, ada, pairwise);
  const answered = await tenant.send('userinfo', { bearer: String(access_token) });
  assert.equal(answered.json['sub'], decodeJwt(String(id_token)).sub);
  assert.notEqual(answered.json['sub'], sub);
});

test('200: a token that the operator issued tells what the operator said of its subject', async () => {
  const access_token = await tenant.authorize({
    sub: 'of-another-directory',
    client_id: client.client_id,
    scope: ['openid'],
    claims: ['name'],
    claims_data: { name: 'Grace' },
  });
  const answered = await tenant.send('userinfo', { bearer: access_token });
  assert.deepEqual(answered.json, { name: 'Grace', sub: 'of-another-directory' });
});

const access_token = String((await tokensFor(tenant, ada, client))['access_token']);

test('POST /userinfo with the token in header and form: 400 invalid_request (RFC 6750 §2)', async () => {
  assertError(
    await tenant.send('userinfo-post', { bearer: access_token, form: { access_token } }),
    'invalid_request',
  );
});

test('POST /userinfo with the token twice in the form: 400 invalid_request (RFC 6749 §3.1)', async () => {
  const form = `access_token=${access_token}&access_token=${access_token}`;
  assertError(await tenant.send('userinfo-post', { form }), 'invalid_request');
});

// proves openid-core-5.3.3-1
test('GET /userinfo without a token, or with it in the query: 401 with a challenge that names no error (RFC 6750 §3)', async () => {
  const { access_token } = await tokensFor(tenant, ada, client);
  for (const refused of [
    await tenant.send('userinfo'),
    await tenant.send('userinfo', { query: `access_token=${String(access_token)}` }),
    await tenant.send('userinfo-post', { form: {} }),
  ]) {
    assertError(refused, 'invalid_token', /^an access token is needed$/);
    assert.match(
      refused.headers['www-authenticate'] ?? '',
      /^Bearer resource_metadata="[^"]+", DPoP resource_metadata="[^"]+", algs="[^"]+"$/,
    );
  }
});

// proves openid-core-5.3.3-1
test('GET /userinfo with a token that is unknown, changed, expired, or none: 401 invalid_token (OpenID Connect Core 1.0 §5.3.3)', async () => {
  const { access_token, refresh_token, id_token } = await tokensFor(tenant, ada, client);
  for (const bearer of [
    'x',
    `${String(access_token)}x`,
    String(refresh_token),
    String(id_token),
    'A'.repeat(9000),
  ])
    assertInvalidToken(await tenant.send('userinfo', { bearer }));
  tenant.clock.advance(600);
  assertInvalidToken(await tenant.send('userinfo', { bearer: String(access_token) }));
});

test('GET /userinfo after the account or the client is gone: 401 invalid_token', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const [ofEve, ofOther] = [await tokensFor(tenant, eve, client), await tokensFor(tenant, ada, other)];
  await deleteAccount(eve.accounts, eve.account, ACTOR);
  await tenant.send('client-delete', { id: other.client_id, bearer: other.registration_access_token });
  for (const { access_token } of [ofEve, ofOther])
    assertInvalidToken(await tenant.send('userinfo', { bearer: String(access_token) }));
});

test('GET /userinfo with a token of a client that acts for itself: 401, because the token has no end-user', async () => {
  const service = await tenant.register({ ...SERVICE, scope: `openid ${INTROSPECTION_SCOPE}` });
  const issued = await tenant.send('token', {
    basic: [service.client_id, service.client_secret],
    form: { grant_type: 'client_credentials' },
  });
  assert.equal(issued.status, 200);
  assertInvalidToken(await tenant.send('userinfo', { bearer: String(issued.json['access_token']) }));
});

test('401: GET /userinfo with a token that is bound to a certificate: with that one, and with no other (RFC 8705 §3)', async () => {
  const own = testTenant({ certificateAuthorities: [] });
  const [identity, other] = [selfSigned(), selfSigned()];
  const bound = await own.register({ ...RELYING_PARTY, tls_client_certificate_bound_access_tokens: true });
  const person = await aPerson(own);
  const { access_token } = await tokensFor(own, person, bound, {}, shown(identity));
  const bearer = String(access_token);
  const answered = await own.send('userinfo', { bearer, certificate: shown(identity) });
  assert.deepEqual(answered.json, { sub: person.account.sub });
  assertInvalidToken(await own.send('userinfo', { bearer, certificate: shown(other) }));
  assertInvalidToken(await own.send('userinfo', { bearer }));
});

// proves openid-core-5.3.3-1
test('GET /userinfo with a token without openid: 403 insufficient_scope that says so (RFC 6750 §3.1)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client, { scope: 'email' });
  assertMissingScopes(await tenant.send('userinfo', { bearer: String(access_token) }), 'openid');
});

test('GET /userinfo, the storage fails: 500 without body', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client);
  tenant.watch.fail(new Error('disk is full'), 'accounts.find');
  assertBodiless(await tenant.send('userinfo', { bearer: String(access_token) }), 500);
});

test('503 with Retry-After while the server is too busy to fetch the keys that encrypt the answer (decision 50)', async () => {
  const { outbound, causes } = busyOutbound();
  const busy = testTenant({ outbound });
  const encrypted = await busy.register({
    ...RELYING_PARTY,
    jwks_uri: 'https://client.example/jwks.json',
    userinfo_encrypted_response_alg: 'ECDH-ES',
  });
  const { access_token } = await tokensFor(busy, await aPerson(busy), encrypted);
  assertBusy(await busy.send('userinfo', { bearer: String(access_token) }));
  assert.deepEqual(causes, [{ purpose: 'encryption-keys', remoteAddress: undefined }]);
});
