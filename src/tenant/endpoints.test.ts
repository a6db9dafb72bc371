import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { readEndpointFolders } from '../../tools/contracts.ts';
import { openConsole } from '../process/console.ts';
import { prometheusMetrics } from '../system/metrics.ts';
import { testSettings } from '../testing/settings.ts';
import { testTenant } from '../testing/tenant.ts';
import { managementEndpoints } from './management-endpoints.ts';

test('every contract of src/endpoints stands in the list of endpoints, once', async () => {
  const tenant = testTenant({
    development: { version: '1', data: 'd', management: 'm', account: 'a', refusals: () => [] },
    settings: {
      'admin.listeners': 'both',
      'federation.enabled': true,
      'openapi.enabled': true,
      'signals.enabled': true,
      'ciba.enabled': true,
      'webfinger.domains': ['example.com'],
      'global-revocation.token-sha256': [createHash('sha256').update('trusted').digest('hex')],
      'sign-in.external-url': 'https://login.example.net/start',
      'sign-in.token-sha256': [createHash('sha256').update('page').digest('hex')],
    },
  });
  const site = await tenant.site();
  const managed = managementEndpoints({
    metrics: prometheusMetrics(),
    state: () => ({ status: 'ready' }),
    ...openConsole(() => testSettings({ 'console.enabled': true })),
  });
  const standing = [...site.endpoints, ...managed].map(({ contract }) => contract.name);
  assert.equal(new Set(standing).size, standing.length);
  const folders = await readEndpointFolders();
  const promised = new Set(folders.flatMap(({ contracts }) => contracts.map(({ name }) => name)));
  assert.deepEqual(standing.toSorted(), [...promised].sort());
});

test('what the settings switch off does not stand: no page of the operator, no logout, no federation documents, no API description', async () => {
  const { endpoints } = await testTenant({ settings: { 'logout.endpoint': false } }).site();
  const names = new Set(endpoints.map(({ contract }) => contract.name));
  for (const name of [
    'external-sign-in',
    'external-sign-in-outcome',
    'end-session',
    'end-session-form',
    'end-session-confirmation',
    'entity-configuration',
    'federation-historical-keys',
    'open-api',
    'event-stream-create',
    'global-token-revocation',
    'signals-configuration',
  ])
    assert.equal(names.has(name), false, name);
});
