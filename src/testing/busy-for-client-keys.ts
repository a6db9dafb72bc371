import assert from 'node:assert/strict';
import { asserted, claimsOf, privateKeyClient } from './assertion.ts';
import { assertBusy, busyOutbound } from './busy-outbound.ts';
import { testTenant } from './tenant.ts';

/**
 * Decision 50: the endpoint says that it is busy if there is no slot to fetch the keys of a client that asserts its identity.
 * @param form what the request has beside the assertion
 */
export async function assertBusyForClientKeys(
  endpoint: 'introspection' | 'pushed-authorization-request' | 'revocation' | 'revocation-feed' | 'token',
  form: Readonly<Record<string, string>>,
): Promise<void> {
  const { outbound, causes } = busyOutbound();
  const tenant = testTenant({ outbound });
  const client = await privateKeyClient(tenant, {
    jwks: undefined,
    jwks_uri: 'https://client.example/jwks.json',
  });
  const sent = asserted(client.sign(claimsOf(client.client_id)), form);
  assertBusy(await tenant.send(endpoint, { form: sent, from: '198.51.100.7' }));
  assert.deepEqual(causes, [{ purpose: 'client-keys', remoteAddress: '198.51.100.7' }]);
}
