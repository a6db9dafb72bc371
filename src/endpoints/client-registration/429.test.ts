import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer } from '../../testing/exchange.ts';
import { MASTER, type TestTenant, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

function limited({ perNetwork = 0, overall = 0 }): TestTenant {
  return testTenant({
    settings: {
      'registration.allow-open-registration': true,
      'registration.open-rate-per-network': perNetwork,
      'registration.open-rate': overall,
    },
  });
}

async function register(tenant: TestTenant, from: string): Promise<Answer> {
  return await tenant.send('client-registration', { json: WEB_CLIENT, from });
}

async function statuses(tenant: TestTenant, addresses: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const from of addresses) found.push((await register(tenant, from)).status);
  return found;
}

test('more open registrations from a network than a minute allows: 429 with Retry-After and the reason (decision 39)', async () => {
  const tenant = limited({ perNetwork: 2 });
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1']), [200, 200]);
  const refused = await register(tenant, '192.0.2.1');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers['retry-after'], '30');
  assert.equal(refused.headers['cache-control'], 'no-store');
  assert.equal(refused.json['error'], 'temporarily_unavailable');
  assert.deepEqual(Object.keys(refused.json), ['error', 'error_description']);
});

test('after Retry-After one more is let in, and only one (decision 39)', async () => {
  const tenant = limited({ perNetwork: 2 });
  await statuses(tenant, ['192.0.2.1', '192.0.2.1']);
  tenant.clock.advance(29);
  assert.equal((await register(tenant, '192.0.2.1')).status, 429);
  tenant.clock.advance(1);
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1']), [200, 429]);
});

test('a quiet network never gathers more than a minute’s worth', async () => {
  const tenant = limited({ perNetwork: 2 });
  await register(tenant, '192.0.2.1');
  tenant.clock.advance(86_400);
  assert.deepEqual(await statuses(tenant, ['192.0.2.1', '192.0.2.1', '192.0.2.1']), [200, 200, 429]);
});

test('one network does not use up another one’s share; the overall limit holds for all', async () => {
  const tenant = limited({ perNetwork: 1, overall: 2 });
  const addresses = ['192.0.2.1', '192.0.2.1', '198.51.100.1', '203.0.113.1'];
  assert.deepEqual(await statuses(tenant, addresses), [200, 429, 200, 429]);
});

test('who presents a token is not counted and not limited', async () => {
  const tenant = limited({ perNetwork: 1, overall: 1 });
  await register(tenant, '192.0.2.1');
  for (let count = 0; count < 3; count += 1) {
    assert.equal(
      (await tenant.send('client-registration', { bearer: MASTER, json: WEB_CLIENT })).status,
      200,
    );
  }
  assert.equal((await register(tenant, '192.0.2.1')).status, 429);
});

test('POST /register shares the limit with POST /clients', async () => {
  const tenant = limited({ perNetwork: 1 });
  assert.equal((await tenant.send('client-registration-201', { json: WEB_CLIENT })).status, 201);
  assert.equal((await tenant.send('client-registration', { json: WEB_CLIENT })).status, 429);
});
