import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { KEY_SET_LIFETIME, RELOAD_INTERVAL } from '../../clients/client-keys/remote-jwk-set.ts';
import type { OutboundHttp } from '../../ports/outbound-http.ts';
import { SIGNING_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { asserted, claimsOf, KEY, privateKeyClient } from '../../testing/assertion.ts';
import { assertBusyForClientKeys } from '../../testing/busy-for-client-keys.ts';
import { busyOutbound } from '../../testing/busy-outbound.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { macJwt, segment, signedJwt, type TestKey, testKey } from '../../testing/jwt.ts';
import { MASTER, type TestTenant, testTenant } from '../../testing/tenant.ts';

const grant = { grant_type: 'client_credentials' };
const RSA = testKey('RS256', 'rsa');
const JWKS_URI = 'https://client.example/jwks.json';

async function ask(tenant: TestTenant, assertion: string): Promise<Answer> {
  return await tenant.send('token', { form: asserted(assertion, grant) });
}

for (const algorithm of SIGNING_ALGORITHMS) {
  // proves openid-core-9-1
  test(`${algorithm}: accepted where it is registered or none is, refused where another is (OpenID Connect Core 1.0 §9)`, async () => {
    const tenant = testTenant();
    const key = testKey(algorithm, 'own');
    const another = SIGNING_ALGORITHMS.find((each) => each !== algorithm);
    for (const [token_endpoint_auth_signing_alg, status] of [
      [undefined, 200],
      [algorithm, 200],
      [another, 401],
    ] as const) {
      const metadata = { jwks: { keys: [key.jwk] }, token_endpoint_auth_signing_alg };
      const { client_id } = await privateKeyClient(tenant, metadata);
      assert.equal((await ask(tenant, signedJwt(key, claimsOf(client_id)))).status, status);
    }
  });
}

test('the client has no secret (decision 11)', async () => {
  const { members } = await privateKeyClient(testTenant());
  assert.ok(!('client_secret' in members) && !('client_secret_expires_at' in members));
});

// proves rfc7523-3-7
test('HMAC with any form of a public key: 401 invalid_client (H-149)', async () => {
  const tenant = testTenant();
  for (const key of [RSA, KEY, testKey('EdDSA')]) {
    const { client_id } = await privateKeyClient(tenant, { jwks: { keys: [key.jwk] } });
    const publicKey = createPublicKey(key.privateKey);
    const { n, x } = key.jwk;
    for (const secret of [
      publicKey.export({ type: 'spki', format: 'pem' }),
      publicKey.export({ type: 'spki', format: 'pem' }).trim(),
      publicKey.export({ type: 'spki', format: 'der' }),
      JSON.stringify(key.jwk),
      JSON.stringify({ keys: [key.jwk] }),
      Buffer.from(String(n ?? x), 'base64url'),
      String(n ?? x),
      '',
    ]) {
      for (const alg of ['HS256', 'HS384', 'HS512'] as const) {
        const assertion = macJwt(alg, secret, claimsOf(client_id), { kid: key.kid });
        assertError(await ask(tenant, assertion), 'invalid_client');
      }
    }
  }
});

// proves rfc7523-3-7
test('a key that the assertion brings or names is not used (H-149)', async () => {
  const tenant = testTenant();
  const { client_id } = await privateKeyClient(tenant);
  const own = testKey('ES256', KEY.kid);
  for (const header of [
    { jwk: own.jwk },
    { jku: 'https://evil.example/jwks.json' },
    { x5u: 'https://evil.example/cert.pem' },
    { x5c: ['AAAA'] },
    { jwk: own.jwk, kid: undefined },
  ]) {
    assertError(await ask(tenant, signedJwt(own, claimsOf(client_id), header)), 'invalid_client');
  }
});

test('the key is the one that the header names, is for signatures, and is one of the client’s', async () => {
  const tenant = testTenant();
  const [first, second, enc] = [testKey('ES256', 'a'), testKey('ES256', 'b'), testKey('ES256', 'c')];
  const jwks = { keys: [first.jwk, second.jwk, { ...enc.jwk, use: 'enc' }] };
  const { client_id } = await privateKeyClient(tenant, { jwks });
  const rows: readonly (readonly [key: TestKey, header: object, status: number])[] = [
    [first, {}, 200],
    [second, {}, 200],
    [second, { kid: undefined }, 200],
    [second, { kid: 'a' }, 401],
    [second, { kid: 'nobody' }, 401],
    [enc, {}, 401],
    [enc, { kid: undefined }, 401],
    [KEY, { kid: 'a' }, 401],
  ];
  for (const [key, header, status] of rows) {
    const answered = await ask(tenant, signedJwt(key, claimsOf(client_id), header));
    assert.equal(answered.status, status, JSON.stringify(header));
  }
});

test('one algorithm’s key does not verify another’s signature: ES256 under RS256, PS256 under RS256', async () => {
  const tenant = testTenant();
  const jwks = { keys: [{ ...RSA.jwk, alg: 'PS256' }, KEY.jwk] };
  const { client_id } = await privateKeyClient(tenant, { jwks });
  assertError(await ask(tenant, signedJwt(RSA, claimsOf(client_id))), 'invalid_client');
  const pss: TestKey = { ...RSA, algorithm: 'PS256' };
  assert.equal((await ask(tenant, signedJwt(pss, claimsOf(client_id)))).status, 200);
  const relabelled = signedJwt(KEY, claimsOf(client_id), { alg: 'RS256' });
  assertError(await ask(tenant, relabelled), 'invalid_client');
});

test('after an update the replaced key is none any more (RFC 7592 §2.2)', async () => {
  const tenant = testTenant();
  const client = await privateKeyClient(tenant);
  const jwks = { keys: [RSA.jwk] };
  const json = { ...client.members, jwks };
  const updated = await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json });
  assert.equal(updated.status, 200, updated.body);
  assertError(await ask(tenant, client.sign(claimsOf(client.client_id))), 'invalid_client');
  assert.equal((await ask(tenant, signedJwt(RSA, claimsOf(client.client_id)))).status, 200);
});

interface Published {
  readonly outbound: OutboundHttp;
  /** The document at the address; undefined where no server answers. */
  keys: readonly object[] | undefined;
  fetches: number;
}

function published(keys: Published['keys']): Published {
  const self: Published = {
    keys,
    fetches: 0,
    outbound: {
      urlProblem: () => undefined,
      get: async () => {
        self.fetches += 1;
        const found = self.keys;
        await Promise.resolve();
        if (found === undefined) return { status: 'failed', reason: 'timeout', detail: 'hangs' };
        const body = Buffer.from(JSON.stringify({ keys: found }));
        return { status: 'ok', body, mediaType: 'application/json' };
      },
    },
  };
  return self;
}

const BY_URI = { jwks: undefined, jwks_uri: JWKS_URI };

test('keys at a jwks_uri: fetched once, and once more for a kid that is not among them, at most once a minute (H-151)', async () => {
  const peer = published([KEY.jwk]);
  const tenant = testTenant({ outbound: peer.outbound });
  const { client_id, ...client } = await privateKeyClient(tenant, BY_URI);
  for (let time = 0; time < 3; time += 1) {
    assert.equal((await ask(tenant, client.sign(claimsOf(client_id)))).status, 200);
  }
  assert.equal(peer.fetches, 1);
  for (let time = 0; time < 100; time += 1) {
    const assertion = client.sign(claimsOf(client_id), { kid: `made up ${time}` });
    assertError(await ask(tenant, assertion), 'invalid_client');
  }
  assert.equal(peer.fetches, 2);
  peer.keys = [KEY.jwk, RSA.jwk];
  tenant.clock.advance(RELOAD_INTERVAL);
  assert.equal(
    (await ask(tenant, signedJwt(RSA, claimsOf(client_id, { exp: tenant.clock.now() })))).status,
    200,
  );
  assert.equal(peer.fetches, 3);
});

test('keys at a jwks_uri that does not answer, holds other keys, private or weak ones: 401 (H-152)', async () => {
  const weak = testKey('RS256', 'weak');
  for (const keys of [
    undefined,
    [],
    [RSA.jwk],
    [KEY.privateKey.export({ format: 'jwk' })],
    [{ ...KEY.jwk, d: KEY.privateKey.export({ format: 'jwk' }).d }],
    [{ kty: 'oct', k: segment('secret'.repeat(10)), kid: KEY.kid }],
    [{ ...weak.jwk, n: 'AQAB', kid: KEY.kid }],
  ]) {
    const peer = published(keys);
    const tenant = testTenant({ outbound: peer.outbound });
    const { client_id, ...client } = await privateKeyClient(tenant, BY_URI);
    assertError(await ask(tenant, client.sign(claimsOf(client_id))), 'invalid_client');
    peer.keys = [KEY.jwk];
    tenant.clock.advance(KEY_SET_LIFETIME);
    const now = claimsOf(client_id, { exp: tenant.clock.now() + 60 });
    assert.equal((await ask(tenant, client.sign(now))).status, 200);
  }
});

test('503 with Retry-After while the server is too busy to fetch the keys of the client: it does not say invalid_client (decision 50)', async () => {
  await assertBusyForClientKeys('token', grant);
});

test('an assertion that no key could verify causes no fetch: 401 (decision 50)', async () => {
  const { outbound, causes } = busyOutbound();
  const tenant = testTenant({ outbound });
  const { client_id } = await privateKeyClient(tenant, BY_URI);
  const claims = claimsOf(client_id);
  const unsigned = `${segment(JSON.stringify({ alg: 'none' }))}.${segment(JSON.stringify(claims))}.`;
  const mac = macJwt('HS256', 'secret', claims);
  for (const assertion of [unsigned, mac, signedJwt(KEY, claims, { typ: 'at+jwt' })])
    assertError(await ask(tenant, assertion), 'invalid_client');
  assert.deepEqual(causes, []);
});
