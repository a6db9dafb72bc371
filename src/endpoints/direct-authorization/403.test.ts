import { test } from 'node:test';
import { assertMissingScopes } from '../../testing/exchange.ts';
import { DIRECT, MASTER, testTenant } from '../../testing/tenant.ts';

for (const bearer of [undefined, DIRECT, MASTER]) {
  test(`POST /direct-authz/rest/v2 where no token is configured, with ${bearer ?? 'none'}: 403, it is closed`, async () => {
    const tenant = testTenant({ settings: { 'direct-authorization.token-sha256': [] } });
    const request = { json: { scope: ['client-reg'] }, ...(bearer === undefined ? {} : { bearer }) };
    assertMissingScopes(await tenant.send('direct-authorization', request), 'direct-authorization');
  });
}
