import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VERIFIER } from '../../../test/program/code-request.ts';
import { type DpopKey, dpopKey } from '../../testing/dpop.ts';
import type { Answer } from '../../testing/exchange.ts';
import { answeredTo, aPerson, RELYING_PARTY, type TestPerson } from '../../testing/person.ts';
import {
  CALLBACK,
  INTROSPECTION_SCOPE,
  ISSUER,
  SERVICE,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const USERINFO = `${ISSUER}/userinfo`;
const KEY = dpopKey();

type Change = Partial<Parameters<DpopKey['proof']>[0]>;

/** An access token of an end-user; bound to the key unless `bound` is false. */
async function tokenOf(tenant: TestTenant, bound = true, person?: TestPerson): Promise<string> {
  const client = await tenant.register(RELYING_PARTY);
  const { code = '' } = answeredTo(await (person ?? (await aPerson(tenant))).grant(client));
  const now = tenant.clock.now();
  const dpop = KEY.proof({ method: 'POST', address: `${ISSUER}/token`, now });
  const issued = await tenant.send('token', {
    basic: [client.client_id, client.client_secret],
    form: { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER },
    ...(bound ? { headers: { dpop } } : {}),
  });
  return String(issued.json['access_token']);
}

const asking = (tenant: TestTenant, accessToken: string) => ({
  proof: (change: Change = {}, key = KEY): string =>
    key.proof({ method: 'GET', address: USERINFO, now: tenant.clock.now(), accessToken, ...change }),
  ask: async (scheme: string, dpop?: string): Promise<Answer> =>
    await tenant.send('userinfo', {
      authorization: `${scheme} ${accessToken}`,
      ...(dpop === undefined ? {} : { headers: { dpop } }),
    }),
});

// proves rfc9449-7.1-1, rfc9449-7.1-2
test('a token that is bound to a key opens userinfo with the scheme DPoP and a proof with its ath, once (RFC 9449 §7.1)', async () => {
  const tenant = testTenant();
  const { ask, proof } = asking(tenant, await tokenOf(tenant));
  const dpop = proof();
  assert.equal((await ask('DPoP', dpop)).status, 200);
  const again = await ask('dpop', dpop);
  assert.equal(again.status, 401);
  assert.equal(again.json['error'], 'invalid_dpop_proof');
  assert.match(again.headers['www-authenticate'] ?? '', /^DPoP error="invalid_dpop_proof", .*algs="RS256 /);
  assert.equal((await ask('dpop', proof())).status, 200, 'schemes are case-insensitive (RFC 9110 §11.1)');
});

// proves rfc9449-7.2-1
test('a bound token is no bearer token, and a bearer token has no key: 401 invalid_token with a DPoP challenge (RFC 9449 §7.2)', async () => {
  const tenant = testTenant();
  const ada = await aPerson(tenant);
  const access_token = await tokenOf(tenant, true, ada);
  const bound = asking(tenant, access_token);
  const bearer = asking(tenant, await tokenOf(tenant, false, ada));
  const form = await tenant.send('userinfo-post', { form: { access_token } });
  for (const refused of [
    await bound.ask('Bearer'),
    await bound.ask('Bearer', bound.proof()),
    await bearer.ask('DPoP', bearer.proof()),
    form,
  ]) {
    assert.equal(refused.status, 401, refused.body);
    assert.equal(refused.json['error'], 'invalid_token');
    assert.match(refused.headers['www-authenticate'] ?? '', /^DPoP error="invalid_token"/);
  }
  assert.equal((await bearer.ask('Bearer')).status, 200);
});

// proves rfc9449-4.3-1
test('a proof without ath, for another token, by another key or for another method is 401 (RFC 9449 §4.3)', async () => {
  const tenant = testTenant();
  const { ask, proof } = asking(tenant, await tokenOf(tenant));
  const rows = [
    ['none', undefined, 'invalid_dpop_proof'],
    ['no ath', proof({ claims: { ath: undefined } }), 'invalid_dpop_proof'],
    ['the ath of another token', proof({ accessToken: 'other' }), 'invalid_dpop_proof'],
    ['another key', proof({}, dpopKey()), 'invalid_token'],
    ['another method', proof({ method: 'POST' }), 'invalid_dpop_proof'],
    ['another address', proof({ address: `${ISSUER}/token` }), 'invalid_dpop_proof'],
  ] as const;
  for (const [what, dpop, error] of rows) {
    const refused = await ask('DPoP', dpop);
    assert.deepEqual([refused.status, refused.json['error']], [401, error], what);
  }
});

test('userinfo without a token names both schemes, and Bearer alone where dpop.enabled is off: 401 (RFC 9449 §7.1)', async () => {
  const both = await testTenant().send('userinfo');
  assert.equal(both.status, 401);
  assert.match(
    both.headers['www-authenticate'] ?? '',
    /^Bearer resource_metadata="[^"]+", DPoP resource_metadata="[^"]+", algs="RS256 .*EdDSA"$/,
  );
  const off = await testTenant({ settings: { 'dpop.enabled': false } }).send('userinfo');
  assert.equal(
    off.headers['www-authenticate'],
    'Bearer resource_metadata="https://op.example.com/.well-known/oauth-protected-resource/c2/userinfo"',
  );
});

// proves rfc9449-9-1
test('with dpop.nonces: required a proof without the nonce is 401 use_dpop_nonce with the nonce (RFC 9449 §9)', async () => {
  const tenant = testTenant();
  const token = await tokenOf(tenant);
  const strict = testTenant({ platform: tenant.platform, settings: { 'dpop.nonces': 'required' } });
  const { ask, proof } = asking(strict, token);
  const refused = await ask('DPoP', proof());
  assert.equal(refused.status, 401);
  assert.match(refused.headers['www-authenticate'] ?? '', /^DPoP error="use_dpop_nonce"/);
  const nonce = refused.headers['dpop-nonce'] ?? '';
  assert.equal((await ask('DPoP', proof({ nonce }))).status, 200);
});

test('a token that is bound to a key authorises introspection with a proof, and without one it is 401 (RFC 9449 §7.1)', async () => {
  const tenant = testTenant();
  const { client_id, client_secret } = await tenant.register({ ...SERVICE, scope: INTROSPECTION_SCOPE });
  const now = tenant.clock.now();
  const address = `${ISSUER}/token/introspect`;
  const issued = await tenant.send('token', {
    basic: [client_id, client_secret],
    form: { grant_type: 'client_credentials', scope: INTROSPECTION_SCOPE },
    headers: { dpop: KEY.proof({ method: 'POST', address: `${ISSUER}/token`, now }) },
  });
  const accessToken = String(issued.json['access_token']);
  const ask = async (scheme: string, dpop?: string): Promise<Answer> =>
    await tenant.send('introspection', {
      authorization: `${scheme} ${accessToken}`,
      form: { token: accessToken },
      ...(dpop === undefined ? {} : { headers: { dpop } }),
    });
  const answered = await ask('DPoP', KEY.proof({ method: 'POST', address, now, accessToken }));
  assert.equal(answered.json['active'], true, answered.body);
  for (const refused of [
    await ask('DPoP'),
    await ask('Bearer'),
    await ask('DPoP', KEY.proof({ method: 'POST', address, now })),
  ])
    assert.equal(refused.status, 401, refused.body);
});
