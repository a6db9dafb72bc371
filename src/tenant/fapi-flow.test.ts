import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import { type Answer, assertError } from '../testing/exchange.ts';
import { fapiKey, fapiMetadata } from '../testing/fapi.ts';
import {
  fapiTenant,
  fieldsOf,
  KEY,
  partOf,
  pushed,
  redeemed,
  registeredClient,
  returnedTo,
  sendPushed,
} from '../testing/fapi-tenant.ts';
import { signedJwt } from '../testing/jwt.ts';
import { answeredTo, aPerson } from '../testing/person.ts';
import { CALLBACK, ISSUER, MASTER } from '../testing/tenant.ts';

// proves fapi2-sp-5.3.2.2-9, fapi2-sp-5.3.2.1-11
test('fapi-2.0: a code works once, and for 60 seconds (FAPI 2.0 Security Profile §5.3.2.1, §5.3.2.2)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const { code } = fieldsOf(await returnedTo(tenant, client, await pushed(tenant, client)));
  const issued = await redeemed(tenant, client, code);
  assert.equal(issued.status, 200, issued.body);
  assertError(await redeemed(tenant, client, code), 'invalid_grant');
  const late = fapiTenant('fapi-2.0');
  const other = await registeredClient(late);
  const { code: old } = fieldsOf(await returnedTo(late, other, await pushed(late, other)));
  late.clock.advance(61);
  assertError(await redeemed(late, other, old), 'invalid_grant');
});

// proves fapi2-sp-5.3.2.1-12
test('fapi-2.0: a code whose request had a proof or dpop_jkt is good with that key alone (RFC 9449 §10.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const thief = await registeredClient(tenant);
  const named = await pushed(tenant, client, { dpop_jkt: client.dpop.jkt });
  const ada = await aPerson(tenant);
  const codeOf = async ({ json }: Answer): Promise<string | undefined> => {
    const { client_id } = client;
    const query = new URLSearchParams({ client_id, request_uri: String(json['request_uri']) });
    let page = await ada.browser.open(`${ISSUER}/authorize?${String(query)}`);
    if (page.html.includes('name="password"')) page = await ada.signIn(page);
    if (page.html.includes('value="allow"')) page = await ada.browser.submit(page, 'allow');
    return answeredTo(page)['code'];
  };
  const form = { ...client.credentials(), ...client.parameters() };
  const proven = await sendPushed(tenant, form, { dpop: client.proof('/par') });
  for (const answer of [named, proven]) {
    const refused = await redeemed(tenant, client, await codeOf(answer), { dpop: thief.proof('/token') });
    assertError(refused, 'invalid_grant');
  }
});

// proves fapi2-sp-5.3.2.2-14
test('fapi-2.0: a nonce of 64 characters and a state of 1000 come back whole (FAPI 2.0 Security Profile §5.3.2.2)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const [nonce, state] = ['n'.repeat(64), 's'.repeat(1000)];
  const fields = fieldsOf(await returnedTo(tenant, client, await pushed(tenant, client, { nonce, state })));
  assert.equal(fields['state'], state);
  const issued = await redeemed(tenant, client, fields['code']);
  assert.equal(partOf(issued.json['id_token'], 1)['nonce'], nonce);
});

// proves fapi2-sp-5.3.2.1-13
test('fapi-2.0: clocks may differ: 10 seconds ahead is accepted, 61 refused, in assertions and proofs (FAPI 2.0 Security Profile §5.3.2.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const now = tenant.clock.now();
  const ahead = (seconds: number) => ({ iat: now + seconds, nbf: now + seconds, exp: now + seconds + 60 });
  for (const [seconds, status] of [
    [10, 201],
    [61, 401],
  ] as const) {
    const form = { ...client.credentials(ahead(seconds)), ...client.parameters() };
    const { status: answered } = await sendPushed(tenant, form);
    assert.equal(answered, status, `assertion ${seconds}`);
    const proof = client.proof('/par', { claims: { iat: now + seconds } });
    const proven = { ...client.credentials(), ...client.parameters() };
    const withProof = await sendPushed(tenant, proven, { dpop: proof });
    assert.equal(withProof.status, seconds === 10 ? 201 : 400, `proof ${seconds}`);
  }
});

// proves fapi2-sp-5.3.2.2-10, fapi2-sp-5.3.2.1-7, fapi2-sp-5.2-1
test('fapi-2.0: after a form with credentials the browser goes on by 303, to registered addresses only; the endpoint allows no CORS', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const answer = await pushed(tenant, client);
  const ada = await aPerson(tenant);
  const query = new URLSearchParams({
    client_id: client.client_id,
    request_uri: String(answer.json['request_uri']),
    redirect_uri: 'https://evil.example/',
  });
  const page = await ada.signIn(await ada.browser.open(`${ISSUER}/authorize?${String(query)}`));
  const last = page.html.includes('value="allow"') ? await ada.browser.submit(page, 'allow') : page;
  assert.equal(last.status, 303);
  assert.equal(new URL(last.location ?? '').origin, new URL(CALLBACK).origin);
  assert.ok(answeredTo(last)['code']);
  assertError(
    await pushed(tenant, client, { redirect_uri: 'https://evil.example/' }),
    'invalid_request',
    /redirect_uri is not registered/,
  );
  for (const name of ['authorization', 'authorization-post'])
    assert.equal((await tenant.endpoint(name)).contract.cors, 'none');
});

// proves fapi2-sp-5.4.1-2
test('fapi-2.0: an RSA key of fewer than 2048 bits cannot be registered (FAPI 2.0 Security Profile §5.4.1)', async () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  const short = { ...publicKey.export({ format: 'jwk' }), kid: 'short' };
  const json = { ...fapiMetadata(CALLBACK, KEY), jwks: { keys: [short] } };
  const refused = await fapiTenant('fapi-2.0').send('client-registration', { bearer: MASTER, json });
  assertError(refused, 'invalid_client_metadata', /2048/);
});

// proves fapi2-sp-5.4.3-1
test('of two keys with one kid, the one whose kty fits the signature is used (FAPI 2.0 Security Profile §5.4.3)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const [rsa, ec] = [fapiKey('PS256', 'same'), fapiKey('ES256', 'same')];
  const profile = {
    algorithms: ['PS256', 'ES256'],
    types: [undefined],
    requiredClaims: ['iss'],
    issuer: 'client',
    audience: { kind: 'any' },
    lifetimeMax: undefined,
    ageMax: undefined,
  } as const;
  const verifier = joseJwtVerifier(tenant.clock);
  for (const key of [rsa, ec]) {
    const { verified } = await verifier.verify(signedJwt(key, { iss: 'client' }), [rsa.jwk, ec.jwk], profile);
    assert.equal(verified, true, key.algorithm);
  }
});

// proves fapi2-sp-5.4.1-4
test('fapi-2.0: codes, references and tokens have 128 bits of entropy and more (FAPI 2.0 Security Profile §5.4.1)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const answer = await pushed(tenant, client);
  const { code = '' } = fieldsOf(await returnedTo(tenant, client, answer));
  const issued = await redeemed(tenant, client, code);
  const reference = String(answer.json['request_uri']).split(':').at(-1) ?? '';
  for (const credential of [code, reference, issued.json['access_token'], issued.json['refresh_token']]) {
    // 22 characters of 62 have 131 bits.
    assert.match(String(credential), /[A-Za-z0-9]{22}/);
  }
});

// proves fapi2-sp-5.3.4-1
test('fapi-2.0: UserInfo takes a bound token from the header with its proof, and from no query (FAPI 2.0 Security Profile §5.3.4)', async () => {
  const tenant = fapiTenant('fapi-2.0');
  const client = await registeredClient(tenant);
  const { code } = fieldsOf(await returnedTo(tenant, client, await pushed(tenant, client)));
  const accessToken = String((await redeemed(tenant, client, code)).json['access_token']);
  const proof = client.dpop.proof({
    method: 'GET',
    address: `${ISSUER}/userinfo`,
    now: tenant.clock.now(),
    accessToken,
  });
  const read = await tenant.send('userinfo', {
    headers: { authorization: `DPoP ${accessToken}`, dpop: proof },
  });
  assert.equal(read.status, 200, read.body);
  for (const request of [
    { query: `access_token=${accessToken}` },
    { headers: { authorization: `Bearer ${accessToken}` } },
    { headers: { authorization: `DPoP ${accessToken}` } },
  ])
    assert.equal((await tenant.send('userinfo', request)).status, 401);
  const unproven = await tenant.send('userinfo', { headers: { authorization: `DPoP ${accessToken}` } });
  assert.match(unproven.headers['www-authenticate'] ?? '', /^DPoP error=.* algs="PS256 ES256 EdDSA"$/);
});
