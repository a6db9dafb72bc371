import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { MASTER, SERVICE, testTenant } from '../../testing/tenant.ts';

test('GET /clients, the store fails at once: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const tenant = testTenant();
  const cause = new Error('disk /var/lib/registry is full');
  tenant.watch.fail(cause);
  assertBodiless(await tenant.send('client-list', { bearer: MASTER }), 500);
  assert.deepEqual(tenant.reports, [cause]);
});

test('GET /clients, the store fails while a token is looked up: 500, not 401', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken('client-reg');
  tenant.watch.fail(new Error('gone'));
  assertBodiless(await tenant.send('client-list', { bearer }), 500);
});

test('GET /clients, the store fails when a part is sent: the stream breaks, so that nobody takes it for the whole list', async () => {
  const tenant = testTenant();
  await Promise.all(Array.from({ length: 200 }, async () => await tenant.register(SERVICE)));
  const cause = new Error('gone');
  let pages = 0;
  const countPages = async (): Promise<void> => {
    pages += 1;
    tenant.watch.before('clients.page', countPages);
    if (pages === 7) throw cause;
  };
  tenant.watch.before('clients.page', countPages);
  await assert.rejects(tenant.send('client-list', { bearer: MASTER }), cause);
});
