import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { selfSigned } from '../../../test/tls/certificate.ts';
import { certifiedClient, shown } from '../../testing/certificate.ts';
import { type DpopKey, dpopKey } from '../../testing/dpop.ts';
import type { Answer } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, ISSUER, SERVICE, type TestTenant, testTenant } from '../../testing/tenant.ts';

const TOKEN = `${ISSUER}/token`;
const KEY = dpopKey();
const OTHER = dpopKey();

type Change = Partial<Parameters<DpopKey['proof']>[0]>;

/** A proof of the key for the token endpoint. */
const proofFor = (tenant: TestTenant, key = KEY, change: Change = {}): string =>
  key.proof({ method: 'POST', address: TOKEN, now: tenant.clock.now(), ...change });

/** Asks for a token of a service. */
async function asService(
  tenant: TestTenant,
  headers: Readonly<Record<string, string>>,
  metadata = {},
): Promise<Answer> {
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, ...metadata });
  const form = { grant_type: 'client_credentials' };
  return await tenant.send('token', { basic: [client_id, client_secret], form, headers });
}

function assertProofRefused(answer: Answer, words: RegExp): void {
  assert.equal(answer.status, 400, answer.body);
  assert.equal(answer.json['error'], 'invalid_dpop_proof');
  assert.match(String(answer.json['error_description']), words);
}

for (const algorithm of ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'] as const) {
  // proves rfc9449-5-1, rfc9449-5-2, rfc9449-6.1-1, rfc9449-6.2-1
  test(`a proof with ${algorithm} binds the access token to its key, and introspection shows token_type DPoP and cnf.jkt (RFC 9449 §5, §6.2, decision 51)`, async () => {
    const tenant = testTenant();
    const key = dpopKey(algorithm);
    const issued = await asService(tenant, { dpop: proofFor(tenant, key) });
    assert.equal(issued.status, 200, issued.body);
    assert.equal(issued.json['token_type'], 'DPoP');
    const { active, token_type, cnf } = await tenant.introspect(String(issued.json['access_token']));
    assert.deepEqual([active, token_type, cnf], [true, 'DPoP', { jkt: key.jkt }]);
  });
}

test('a self-contained access token has the same cnf claim (RFC 9449 §6.1)', async () => {
  const tenant = testTenant({ settings: { 'access-token.format': 'self-contained' } });
  const issued = await asService(tenant, { dpop: proofFor(tenant) });
  const claims = JSON.parse(
    Buffer.from(String(issued.json['access_token']).split('.')[1] ?? '', 'base64url').toString(),
  );
  assert.deepEqual(claims.cnf, { jkt: KEY.jkt });
});

test('without the header, or where the setting is off, tokens stay bearer tokens (RFC 9449 §5)', async () => {
  const tenant = testTenant();
  assert.equal((await asService(tenant, {})).json['token_type'], 'Bearer');
  const off = testTenant({ settings: { 'dpop.enabled': false } });
  const issued = await asService(off, { dpop: 'anything' }, { dpop_bound_access_tokens: true });
  assert.equal(issued.json['token_type'], 'Bearer', issued.body);
  assert.equal('cnf' in (await off.introspect(String(issued.json['access_token']))), false);
});

// proves rfc9449-5.2-1
test('a client with dpop_bound_access_tokens gets no token without a proof: 400 invalid_dpop_proof (RFC 9449 §5.2)', async () => {
  const tenant = testTenant();
  const bound = { dpop_bound_access_tokens: true };
  assertProofRefused(
    await asService(tenant, {}, bound),
    /^the client has dpop_bound_access_tokens and must send a DPoP proof$/,
  );
  assert.equal((await asService(tenant, { dpop: proofFor(tenant) }, bound)).json['token_type'], 'DPoP');
});

// proves rfc9449-11.1-1
test('a proof is good for one request, at whichever client (RFC 9449 §11.1)', async () => {
  const tenant = testTenant();
  const dpop = proofFor(tenant);
  assert.equal((await asService(tenant, { dpop })).status, 200);
  assertProofRefused(await asService(tenant, { dpop }), /^the DPoP proof was used before$/);
});

// H-590
test('a stranger’s proofs are not stored: an unknown code takes none (RFC 9449 §11.1)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });
  tenant.watch.begin();
  const form = { client_id, grant_type: 'authorization_code', code: 'x'.repeat(54), redirect_uri: CALLBACK };
  const refused = await tenant.send('token', { form, headers: { dpop: proofFor(tenant) } });
  assert.equal(refused.json['error'], 'invalid_grant', refused.body);
  assert.equal(tenant.watch.calls.includes('replays.rememberOnce'), false);
});

/** Redeems a code of a public client, with a proof of the key. */
async function codeFor(tenant: TestTenant, change: Readonly<Record<string, string>> = {}, metadata = {}) {
  const { client_id } = await tenant.register({
    ...RELYING_PARTY,
    token_endpoint_auth_method: 'none',
    ...metadata,
  });
  const ada = await aPerson(tenant);
  const sent = await ada.grant(
    { client_id, client_secret: '', registration_access_token: '', members: {} },
    change,
  );
  const { code = '' } = answeredTo(sent);
  const ask = async (form: Readonly<Record<string, string>>, key?: DpopKey): Promise<Answer> =>
    await tenant.send('token', {
      form: { client_id, ...form },
      ...(key === undefined ? {} : { headers: { dpop: proofFor(tenant, key) } }),
    });
  const redeem = async (key?: DpopKey): Promise<Answer> =>
    await ask(
      { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
      key,
    );
  const refresh = async (from: Answer, key?: DpopKey): Promise<Answer> =>
    await ask({ grant_type: 'refresh_token', refresh_token: String(from.json['refresh_token']) }, key);
  return { redeem, refresh };
}

// H-589
// proves rfc9449-5-3
test('refresh tokens of a public client are good with a proof of the same key only, and in strange hands end nothing (RFC 9449 §5)', async () => {
  const tenant = testTenant();
  const { redeem, refresh } = await codeFor(tenant);
  const first = await redeem(KEY);
  assert.equal(first.json['token_type'], 'DPoP', first.body);
  for (const refused of [await refresh(first), await refresh(first, OTHER)])
    assert.equal(refused.json['error'], 'invalid_grant', refused.body);
  const second = await refresh(first, KEY);
  assert.equal(second.status, 200, second.body);
  assert.equal((await refresh(first, OTHER)).json['error'], 'invalid_grant');
  const third = await refresh(second, KEY);
  assert.equal(third.status, 200, 'an old token in strange hands has ended nothing');
  assert.deepEqual((await tenant.introspect(String(third.json['access_token'])))['cnf'], { jkt: KEY.jkt });
  assert.equal((await refresh(second, KEY)).json['error'], 'invalid_grant', 'its own key shows a reuse');
  assert.equal((await refresh(third, KEY)).json['error'], 'invalid_grant');
});

// H-589
// proves rfc9449-10-1
test('a code with dpop_jkt is good with this key only, and is not used up by another (RFC 9449 §10)', async () => {
  const tenant = testTenant();
  const { redeem } = await codeFor(tenant, { dpop_jkt: KEY.jkt });
  for (const refused of [await redeem(), await redeem(OTHER)])
    assert.equal(refused.json['error'], 'invalid_grant', refused.body);
  assert.equal((await redeem(KEY)).status, 200);
});

test('dpop_jkt of another form is 400 invalid_request at the client (RFC 9449 §10)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  const { error, error_description = '' } = answeredTo(await ada.ask(client, { dpop_jkt: 'short' }));
  assert.equal(error, 'invalid_request');
  assert.match(error_description, /^dpop_jkt must be a JWK thumbprint/);
});

// H-587
test('response_type token gives a client with dpop_bound_access_tokens no token (RFC 9449 §5.2)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({
    redirect_uris: [CALLBACK],
    grant_types: ['implicit'],
    response_types: ['token'],
    dpop_bound_access_tokens: true,
  });
  const ada = await aPerson(tenant);
  const { error } = answeredTo(await ada.grant(client, { response_type: 'token' }));
  assert.equal(error, 'invalid_request');
});

// H-592
// proves rfc9449-8-1, rfc9449-8.2-1
test('with dpop.nonces: required a proof needs the nonce of DPoP-Nonce, which changes in time: 400 use_dpop_nonce (RFC 9449 §8)', async () => {
  const tenant = testTenant({ settings: { 'dpop.nonces': 'required' } });
  const refused = await asService(tenant, { dpop: proofFor(tenant) });
  assert.equal(refused.status, 400);
  assert.equal(refused.json['error'], 'use_dpop_nonce');
  const nonce = refused.headers['dpop-nonce'] ?? '';
  const issued = await asService(tenant, { dpop: proofFor(tenant, KEY, { nonce }) });
  assert.equal(issued.status, 200, issued.body);
  assert.equal('dpop-nonce' in issued.headers, false, 'the client has the nonce of this period');
  tenant.clock.advance(300);
  const later = await asService(tenant, { dpop: proofFor(tenant, KEY, { nonce }) });
  assert.equal(later.status, 200, later.body);
  const next = later.headers['dpop-nonce'] ?? '';
  assert.notEqual(next, nonce);
  tenant.clock.advance(300);
  const old = await asService(tenant, { dpop: proofFor(tenant, KEY, { nonce }) });
  assert.equal(old.json['error'], 'use_dpop_nonce');
});

test('a token can be bound to a certificate and to a key, and then has both members (RFC 8705 §3.1, RFC 9449 §6.1)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const { client_id, client_secret } = await certifiedClient(tenant, {
    token_endpoint_auth_method: 'client_secret_basic',
    tls_client_certificate_bound_access_tokens: true,
  });
  const issued = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { grant_type: 'client_credentials' },
    certificate: shown(selfSigned()),
    headers: { dpop: proofFor(tenant) },
  });
  const { cnf } = await tenant.introspect(String(issued.json['access_token']));
  assert.deepEqual(Object.keys(Object(cnf)), ['x5t#S256', 'jkt']);
});

// proves rfc9449-5.1-1
test('discovery names the algorithms of proofs, and nothing where dpop.enabled is off (RFC 9449 §5.1)', async () => {
  const member = 'dpop_signing_alg_values_supported';
  const { json } = await testTenant().send('openid-configuration');
  assert.deepEqual(json[member], json['request_object_signing_alg_values_supported']);
  const off = testTenant({ settings: { 'dpop.enabled': false } });
  assert.equal(member in (await off.send('openid-configuration')).json, false);
});
