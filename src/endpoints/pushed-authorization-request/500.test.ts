import { test } from 'node:test';
import { assertBodiless } from '../test-exchange.ts';
import { authorizationUrl, RELYING_PARTY } from '../test-person.ts';
import { testTenant } from '../test-tenant.ts';

test('POST /par, the storage fails: 500 without body', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  tenant.watch.fail(new Error('disk is full'), 'interactions.begin');
  const answered = await tenant.send('pushed-authorization-request', {
    basic: [client.client_id, client.client_secret],
    form: Object.fromEntries(new URL(authorizationUrl(client)).searchParams),
  });
  assertBodiless(answered, 500);
});
