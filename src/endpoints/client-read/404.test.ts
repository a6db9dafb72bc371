import { test } from 'node:test';
import { assertBodiless } from '../test-exchange.ts';
import { MASTER, testTenant, WEB_CLIENT } from '../test-tenant.ts';

test('GET /clients/{id} of an unknown id with the master token: 404 without body (interface, Errors, rule 1)', async () => {
  const tenant = testTenant();
  await tenant.register(WEB_CLIENT);
  assertBodiless(await tenant.send('read', { bearer: MASTER, id: 'nobody' }), 404);
});

test('GET of a deleted client with the master token: 404 (decision 14)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  await tenant.send('delete', { bearer: MASTER, id: client_id });
  assertBodiless(await tenant.send('read', { bearer: MASTER, id: client_id }), 404);
});

for (const segment of [
  '',
  '%',
  '%zz',
  '%ff',
  'a%00b',
  '%C3',
  '%ED%A0%80',
  'x'.repeat(513),
  '%78'.repeat(600),
  '..',
  '__proto__',
]) {
  test(`GET /clients/${segment.slice(0, 12)} with the master token: 404, never 500 (decision 2)`, async () => {
    const tenant = testTenant();
    await tenant.register(WEB_CLIENT);
    assertBodiless(await tenant.send('read', { bearer: MASTER, segment }), 404);
  });
}
