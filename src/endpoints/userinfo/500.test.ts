import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

test('GET /userinfo, the storage fails: 500 without body', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client);
  tenant.watch.fail(new Error('disk is full'), 'accounts.find');
  assertBodiless(await tenant.send('userinfo', { bearer: String(access_token) }), 500);
});
