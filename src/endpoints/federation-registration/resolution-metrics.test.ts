import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configurationUrl } from '../../federation/entity-id.ts';
import { federatedTenant, ORG, requestStatement } from '../../testing/federated-tenant.ts';
import { testEntity } from '../../testing/federation.ts';

test('each resolution is counted by its outcome and a reason code, and never by an entity (H-454)', async () => {
  const tenant = await federatedTenant();
  await tenant.post(requestStatement());
  const stranger = testEntity('https://label"}x{y=".example');
  await tenant.post(requestStatement({}, { iss: stranger.id, sub: stranger.id }, stranger));
  await tenant.post(requestStatement(undefined, {}, testEntity('https://stranger.example')));
  tenant.federation.documents.set(configurationUrl(ORG.id), 'timeout');
  await tenant.post(requestStatement());
  const resolutions = tenant.platform.counted.flatMap(({ name, labels: { outcome, reason } }) =>
    name === 'chancery_federation_resolutions_total' ? [[outcome, reason]] : [],
  );
  assert.deepEqual(resolutions, [
    ['valid', 'none'],
    ['refused', 'fetch_status'],
    ['timeout', 'fetch_timeout'],
  ]);
});
