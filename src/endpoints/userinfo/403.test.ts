import { test } from 'node:test';
import { assertMissingScopes } from '../../testing/exchange.ts';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

// proves openid-core-5.3.3-1
test('GET /userinfo with a token without openid: 403 insufficient_scope that says so (RFC 6750 §3.1)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const { access_token } = await tokensFor(tenant, await aPerson(tenant), client, { scope: 'email' });
  assertMissingScopes(await tenant.send('userinfo', { bearer: String(access_token) }), 'openid');
});
