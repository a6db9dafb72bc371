import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selfSigned } from '../../../test/tls/certificate.ts';
import { assertProblem } from '../../testing/admin-operations.ts';
import { registerAsOperator } from '../../testing/administration.ts';
import { shown } from '../../testing/certificate.ts';
import { dpopKey, type ProofOf } from '../../testing/dpop.ts';
import type { Answer, TestRequest } from '../../testing/exchange.ts';
import { ADMIN, DIRECT, ISSUER, MASTER, SERVICE, type TestTenant, testTenant } from '../../testing/tenant.ts';

const SCOPE = 'admin:keys:read';
const RESOURCE = 'https://rs.example/api';

/** An access token of a client that is registered for the scope. */
async function tokenFor(
  tenant: TestTenant,
  form: Readonly<Record<string, string>> = {},
  { metadata = {}, request = {} }: { readonly metadata?: object; readonly request?: TestRequest } = {},
): Promise<string> {
  const client = await registerAsOperator(tenant, { ...SERVICE, scope: SCOPE, ...metadata });
  const { json, body } = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'client_credentials', scope: SCOPE, ...form },
    ...request,
  });
  assert.equal(typeof json['access_token'], 'string', body);
  return String(json['access_token']);
}

test('H-499 a token for another resource server opens nothing here, and one for this server does, in both formats (RFC 9068 §4)', async () => {
  for (const format of ['identifier', 'self-contained'] as const) {
    const tenant = testTenant({ settings: { 'access-token.format': format } });
    for (const form of [{}, { resource: ISSUER }]) {
      const bearer = await tokenFor(tenant, form);
      assert.equal((await tenant.send('admin-key-list', { bearer })).status, 200);
    }
    const bearer = await tokenFor(tenant, { resource: RESOURCE });
    const refused = await tenant.send('admin-key-list', { bearer });
    assertProblem(refused, 401, 'invalid_token');
    assert.match(refused.headers['www-authenticate'] ?? '', /error="invalid_token"/u);
  }
});

test('H-498 a token that is bound to a certificate opens nothing without that certificate (RFC 8705 §3)', async () => {
  const tenant = testTenant({ certificateAuthorities: [] });
  const [own, other] = [selfSigned(), selfSigned()];
  const metadata = {
    token_endpoint_auth_method: 'client_secret_basic',
    tls_client_certificate_bound_access_tokens: true,
  };
  const bearer = await tokenFor(tenant, {}, { metadata, request: { certificate: shown(own) } });
  const asked = async (request: TestRequest): Promise<number> =>
    (await tenant.send('admin-key-list', { bearer, ...request })).status;
  assert.deepEqual(
    [await asked({}), await asked({ certificate: shown(other) }), await asked({ certificate: shown(own) })],
    [401, 401, 200],
  );
});

const KEYS = `${ISSUER}/admin/v1/keys`;

/** A bound token, and requests with it. */
async function boundToken(tenant: TestTenant, key = dpopKey()) {
  const now = tenant.clock.now();
  const dpop = key.proof({ method: 'POST', address: `${ISSUER}/token`, now });
  const accessToken = await tokenFor(tenant, {}, { request: { headers: { dpop } } });
  const proof = (change: Partial<ProofOf> = {}, by = key): string =>
    by.proof({ method: 'GET', address: KEYS, now, accessToken, ...change });
  const ask = async (scheme: string, proven?: string, request: TestRequest = {}): Promise<Answer> =>
    await tenant.send('admin-key-list', {
      authorization: `${scheme} ${accessToken}`,
      ...(proven === undefined ? {} : { headers: { dpop: proven } }),
      ...request,
    });
  return { accessToken, proof, ask };
}

// proves rfc9449-7.1-1, rfc9449-7.2-1
test('H-498 a token that is bound to a key opens the administration with the scheme DPoP and a proof, once; as bearer token it is 401 with a DPoP challenge (RFC 9449 §7)', async () => {
  const { ask, proof } = await boundToken(testTenant());
  const dpop = proof();
  assert.equal((await ask('DPoP', dpop)).status, 200);
  for (const [refused, code] of [
    [await ask('DPoP', dpop), 'invalid_dpop_proof'],
    [await ask('DPoP'), 'invalid_dpop_proof'],
    [await ask('Bearer'), 'invalid_token'],
    [await ask('Bearer', proof()), 'invalid_token'],
  ] as const) {
    assertProblem(refused, 401, code);
    assert.match(
      refused.headers['www-authenticate'] ?? '',
      new RegExp(`^DPoP error="${code}", .*algs=`, 'u'),
    );
  }
});

// proves rfc9449-4.3-1
test('H-498 a proof of another key, method, address or token opens nothing; that of the management listener, of the console and of one item does (RFC 9449 §4.3)', async () => {
  const settings = {
    'console.url': 'https://ops.example.com/chancery/console/',
    'management.listen-port': 9090,
  };
  const tenant = testTenant({ settings });
  const { accessToken, ask, proof } = await boundToken(tenant);
  for (const wrong of [
    proof({}, dpopKey()),
    proof({ method: 'POST' }),
    proof({ address: `${ISSUER}/admin/v1/settings` }),
    proof({ address: 'https://other.example/admin/v1/keys' }),
    proof({ accessToken: 'other' }),
    'no proof',
  ])
    assert.equal((await ask('DPoP', wrong)).status, 401);
  for (const base of ['http://127.0.0.1:9090', 'https://ops.example.com/chancery'])
    assert.equal((await ask('DPoP', proof({ address: `${base}/admin/v1/keys?limit=1` }))).status, 200, base);
  const dpop = proof({ address: `${KEYS}/a%2Fb` });
  const authorization = `DPoP ${accessToken}`;
  const item = { authorization, headers: { dpop }, segments: { kid: 'a/b' } };
  assertProblem(await tenant.send('admin-key-read', item), 404, 'not_found');
});

test('H-498 a bearer token and a break-glass token have no key: with the scheme DPoP they are 401', async () => {
  const tenant = testTenant();
  const { proof } = await boundToken(tenant);
  const bearer = await tokenFor(tenant);
  for (const token of [bearer, ADMIN]) {
    const headers = { dpop: proof({ accessToken: token }) };
    const refused = await tenant.send('admin-key-list', { authorization: `DPoP ${token}`, headers });
    assertProblem(refused, 401, 'invalid_token');
  }
});

test('H-498 where proofs need a nonce of the server, a refusal has it, and the proof with it is taken (RFC 9449 §9)', async () => {
  const tenant = testTenant();
  const { accessToken, proof } = await boundToken(tenant);
  const strict = testTenant({ platform: tenant.platform, settings: { 'dpop.nonces': 'required' } });
  const ask = async (dpop: string): Promise<Answer> =>
    await strict.send('admin-key-list', { authorization: `DPoP ${accessToken}`, headers: { dpop } });
  const refused = await ask(proof());
  assertProblem(refused, 401, 'use_dpop_nonce');
  assert.equal((await ask(proof({ nonce: refused.headers['dpop-nonce'] ?? '' }))).status, 200);
});

test('only the break-glass token itself opens the administration: no other master token, and no other spelling', async () => {
  const tenant = testTenant();
  for (const bearer of [MASTER, DIRECT, `${ADMIN}x`, ADMIN.toUpperCase(), ADMIN.slice(1)])
    assertProblem(await tenant.send('admin-key-list', { bearer }), 401, 'invalid_token');
  const closed = testTenant({ settings: { 'admin.token-sha256': [] } });
  assertProblem(await closed.send('admin-key-list', { bearer: ADMIN }), 401, 'invalid_token');
  assert.equal((await tenant.send('admin-key-list', { bearer: ADMIN })).status, 200);
});

test('admin.listeners: none has no operation, management has them there alone, both has them below the issuer too', async () => {
  const names = async (listeners: 'none' | 'management' | 'both'): Promise<readonly boolean[]> => {
    const tenant = testTenant({ settings: { 'admin.listeners': listeners } });
    const sites = [await tenant.site(), await tenant.managementSite()];
    return sites.map(({ endpoints }) => endpoints.some(({ contract }) => contract.name === 'admin-key-list'));
  };
  assert.deepEqual(await names('none'), [false, false]);
  assert.deepEqual(await names('management'), [false, true]);
  assert.deepEqual(await names('both'), [true, true]);
});
