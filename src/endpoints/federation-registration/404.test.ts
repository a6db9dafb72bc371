import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUncached } from '../../testing/exchange.ts';
import { federatedTenant, ORG, requestStatement } from '../../testing/federated-tenant.ts';
import { testEntity } from '../../testing/federation.ts';

// proves openid-federation-8.9-2
test('no way leads to a configured anchor, in the dialect of OpenID Federation 1.0: 404 invalid_trust_anchor, with its reason (§8.9)', async () => {
  const stranger = testEntity('https://stranger.example');
  const tenant = await federatedTenant();
  tenant.federation.join(ORG, [stranger]);
  tenant.federation.join(stranger, []);
  const response = await tenant.postFinal(requestStatement());
  assert.deepEqual([response.status, response.json['error']], [404, 'invalid_trust_anchor']);
  assert.match(String(response.json['error_description']), /^unknown_trust_anchor: /);
  assertUncached(response);
});
