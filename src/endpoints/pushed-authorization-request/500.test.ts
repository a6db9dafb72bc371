import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

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
