import { test } from 'node:test';
import { assertBodiless } from '../test-exchange.ts';
import { aPerson, RELYING_PARTY } from '../test-person.ts';
import { testTenant } from '../test-tenant.ts';
import { tokensFor } from '../test-userinfo.ts';

test('GET /userinfo, the storage fails: 500 without body', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client);
  tenant.watch.fail(new Error('disk is full'), 'accounts.find');
  assertBodiless(await tenant.send('userinfo', { bearer: String(access_token) }), 500);
});
