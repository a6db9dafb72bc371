import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HMAC_ALGORITHMS } from '../../spec/server-capabilities.ts';
import { asserted, claimsOf, KEY, secretJwtClient, signerWith } from '../../testing/assertion.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { signedJwt } from '../../testing/jwt.ts';
import {
  clientInformationOf,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const grant = { grant_type: 'client_credentials' };
const METADATA = { ...SERVICE, token_endpoint_auth_method: 'client_secret_jwt' };
const LENGTHS = { HS256: 43, HS384: 48, HS512: 64 } as const;

async function ask(tenant: TestTenant, assertion: string): Promise<Answer> {
  return await tenant.send('token', { form: asserted(assertion, grant) });
}

for (const algorithm of HMAC_ALGORITHMS) {
  // proves openid-core-9-1
  test(`${algorithm} registered: the secret is long enough for it, and no other algorithm is accepted (decision 15; OpenID Connect Core 1.0 §9)`, async () => {
    const tenant = testTenant();
    const client = await secretJwtClient(tenant, { token_endpoint_auth_signing_alg: algorithm });
    assert.match(client.client_secret, /^[A-Za-z0-9]+$/);
    assert.equal(client.client_secret.length, LENGTHS[algorithm]);
    for (const used of HMAC_ALGORITHMS) {
      const sign = signerWith(client.client_secret, used);
      const { status } = await ask(tenant, sign(claimsOf(client.client_id)));
      assert.equal(status, used === algorithm ? 200 : 401, used);
    }
  });

  test(`${algorithm} of a client that has registered none: accepted (OpenID Connect Dynamic Client Registration 1.0 §2)`, async () => {
    const tenant = testTenant();
    const { client_id, client_secret } = await secretJwtClient(tenant);
    assert.equal(client_secret.length, 64);
    const sign = signerWith(client_secret, algorithm);
    assert.equal((await ask(tenant, sign(claimsOf(client_id)))).status, 200);
  });
}

test('a secret that is renewed is as long as the new algorithm asks (decision 15)', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant, { token_endpoint_auth_signing_alg: 'HS256' });
  const json = { ...METADATA, token_endpoint_auth_signing_alg: 'HS512' };
  const updated = clientInformationOf(
    await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json }),
  );
  assert.equal(updated.client_secret.length, 64);
  const sign = signerWith(updated.client_secret, 'HS512');
  assert.equal((await ask(tenant, sign(claimsOf(client.client_id)))).status, 200);
});

// proves openid-core-9-1
test('a secret of one’s own, in printable ASCII, is the key octet by octet (OpenID Connect Core 1.0 §9)', async () => {
  const tenant = testTenant();
  const preferred_client_secret = ` %41+"\\${'x'.repeat(26)}`;
  const client = await secretJwtClient(tenant, { preferred_client_secret });
  assert.equal(client.client_secret, preferred_client_secret);
  assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 200);
  const tooShort = signerWith(client.client_secret, 'HS512');
  assertError(await ask(tenant, tooShort(claimsOf(client.client_id))), 'invalid_client');
});

// proves rfc7523-3-7
test('another secret, the registration token, an empty key: 401 invalid_client', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant);
  const other = await secretJwtClient(tenant);
  const wrong = [other.client_secret, client.registration_access_token, '', client.client_id, 'undefined'];
  for (const secret of [...wrong, client.client_secret.slice(0, -1), `${client.client_secret}\n`]) {
    const sign = signerWith(secret);
    assertError(await ask(tenant, sign(claimsOf(client.client_id))), 'invalid_client');
  }
  assertError(await ask(tenant, signedJwt(KEY, claimsOf(client.client_id))), 'invalid_client');
});

test('every live secret is a key, a retired or expired one is none (decisions 9 and 10)', async () => {
  const tenant = testTenant({
    settings: { 'registration.previous-secret-grace': 100, 'registration.client-secret-lifetime': 1000 },
  });
  const client = await secretJwtClient(tenant);
  const request = { bearer: MASTER, id: client.client_id, json: METADATA };
  const { client_secret } = clientInformationOf(await tenant.send('client-update', request));
  const renewed = signerWith(client_secret);
  const claims = (): object => claimsOf(client.client_id, { exp: tenant.clock.now() + 60, iat: START });
  assert.equal((await ask(tenant, client.sign(claims()))).status, 200);
  assert.equal((await ask(tenant, renewed(claims()))).status, 200);
  tenant.clock.advance(100);
  assertError(await ask(tenant, client.sign(claims())), 'invalid_client');
  assert.equal((await ask(tenant, renewed(claims()))).status, 200);
  tenant.clock.advance(900);
  const late = claimsOf(client.client_id, { exp: tenant.clock.now() + 60, iat: undefined });
  assertError(await ask(tenant, renewed(late)), 'invalid_client');
});

test('a deleted client does not authenticate', async () => {
  const tenant = testTenant();
  const client = await secretJwtClient(tenant);
  assert.equal((await ask(tenant, client.sign(claimsOf(client.client_id)))).status, 200);
  await tenant.send('client-delete', { bearer: MASTER, id: client.client_id });
  assertError(await ask(tenant, client.sign(claimsOf(client.client_id))), 'invalid_client');
});
