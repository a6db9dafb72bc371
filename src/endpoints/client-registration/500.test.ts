import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';

for (const address of ['client-registration', 'client-registration-201'] as const) {
  test(`${address === 'client-registration' ? 'register' : 'register201'}, the store fails: 500 without body, and only the report has the cause (interface, Errors)`, async () => {
    const tenant = testTenant();
    const cause = new Error('disk /var/lib/registry is full');
    tenant.watch.fail(cause);
    assertBodiless(await tenant.send(address, { bearer: MASTER, json: WEB_CLIENT }), 500);
    assert.deepEqual(tenant.reports, [cause]);
  });
}

test('the store fails while the initial access token is looked up: 500, not 401', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('gone'), 'accessTokens.find');
  assertBodiless(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }), 500);
});

test('a registration that failed leaves the initial access token usable (decision 7)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('busy'), 'clients.create');
  assertBodiless(await tenant.send('client-registration', { bearer, json: WEB_CLIENT }), 500);
  tenant.watch.recover();
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 200);
});
