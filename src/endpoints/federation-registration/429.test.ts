import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationUrl } from '../../federation/entity-id.ts';
import type { Fetched } from '../../ports/outbound-http.ts';
import { ANCHOR, answered, federatedTenant, requestStatement } from '../../testing/federated-tenant.ts';

test('more registrations at once than federation.registrations: 429 with Retry-After, and none of them waits (H-200)', async () => {
  const tenant = await federatedTenant({ 'federation.registrations': 2 });
  const { promise: hanging, resolve: release } = Promise.withResolvers<Fetched>();
  const { documents } = tenant.federation;
  const good = documents.get(configurationUrl(ANCHOR.id));
  documents.set(configurationUrl(ANCHOR.id), async () => await hanging);
  const waiting = [tenant.post(requestStatement()), tenant.post(requestStatement())];
  const refused = await tenant.post(requestStatement());
  assert.deepEqual([refused.status, refused.json['error']], [429, 'temporarily_unavailable']);
  assert.equal(refused.headers['retry-after'], '10');
  release({ status: 'failed', reason: 'timeout', detail: '' });
  for (const one of waiting) assert.equal((await one).status, 401);
  documents.set(configurationUrl(ANCHOR.id), good as string);
  answered(await tenant.post(requestStatement()));
});
