import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NotedRefusal, ServerFacts } from '../../../ports/server-facts.ts';
import { testAdminOperation } from '../../../testing/admin-operations.ts';
import { testPlatform } from '../../../testing/platform.ts';
import { ADMIN, START, testTenant } from '../../../testing/tenant.ts';

testAdminOperation('admin-statistics', () => ({}));
testAdminOperation('admin-refusal-list', () => ({}));

const refusal = (number: number, about: Partial<NotedRefusal> = {}): NotedRefusal => ({
  at: START - number,
  endpoint: 'token',
  status: '401',
  error: 'invalid_client',
  reason: 'wrong-secret',
  detail: 'the secret is wrong',
  client: 'one',
  request_id: `r-${number}`,
  tenant: 'test',
  ...about,
});

const served =
  (...refusals: readonly NotedRefusal[]): ServerFacts['served'] =>
  async () =>
    await Promise.resolve({ requests: { '2xx': 12, '4xx': 3 }, refusals });

test('200: GET /admin/v1/statistics has the figures of the process, the rows, and what expires next', async () => {
  const certificates = () => [{ name: 'listener', expires_at: START + 60 }];
  const tenant = testTenant({ server: { certificates, served: served(refusal(1), refusal(2)) } });
  const { json } = await tenant.send('admin-statistics', { bearer: ADMIN });
  const { expiring, ...others } = json;
  assert.deepEqual(others, {
    version: '0.1.0',
    started_at: '2027-01-15T07:00:00Z',
    process: { pid: 1234, workers: 1, node: '26.0.0', storage: 'sqlite', requests: { '2xx': 12, '4xx': 3 } },
    objects: { clients: 2, accounts: 1, sessions: 0, grants: 0, access_tokens: 5, client_versions: 4 },
    refusals: { 'wrong-secret': 2 },
  });
  const [first, ...keys] = expiring as readonly { kind: string; name: string; at: string }[];
  assert.deepEqual(first, { kind: 'certificate', name: 'listener', at: '2027-01-15T08:01:00Z' });
  assert.ok(keys.length > 2 && keys.every(({ kind }) => kind === 'key-rotation'));
});

test('200: another tenant than the default one learns nothing about the process, the rows and the certificates of all', async () => {
  const certificates = () => [{ name: 'listener', expires_at: START + 60 }];
  const noted = served(refusal(1), refusal(2, { tenant: 'other' }), refusal(3, { tenant: '' }));
  const platform = {
    ...testPlatform({ server: { certificates, served: noted } }),
    superiorAdmins: () => undefined,
  };
  const tenant = testTenant({ platform });
  const { json } = await tenant.send('admin-statistics', { bearer: ADMIN });
  assert.deepEqual([json['process'], json['objects']], [null, null]);
  assert.ok(!JSON.stringify(json['expiring']).includes('listener'));
  const listed = await tenant.send('admin-refusal-list', { bearer: ADMIN, query: 'fields=request_id' });
  assert.deepEqual(listed.json['items'], [{ request_id: 'r-1' }]);
});

test('200: GET /admin/v1/refusals has the latest refusals by client, reason and endpoint', async () => {
  const noted = served(
    refusal(1),
    refusal(2, { client: 'two', reason: 'unknown-client' }),
    refusal(3, { tenant: '', endpoint: 'edge' }),
  );
  const tenant = testTenant({ server: { served: noted } });
  const ids = async (query: string): Promise<unknown> => {
    const { json } = await tenant.send('admin-refusal-list', { bearer: ADMIN, query });
    return (json['items'] as readonly { request_id: string }[]).map(({ request_id }) => request_id);
  };
  assert.deepEqual(await ids(''), ['r-1', 'r-2', 'r-3']);
  assert.deepEqual(await ids('client_id=two'), ['r-2']);
  assert.deepEqual(await ids('reason=wrong-secret&endpoint=token'), ['r-1']);
  const { json } = await tenant.send('admin-refusal-list', { bearer: ADMIN, query: 'limit=1' });
  assert.deepEqual(json['items'], [
    {
      request_id: 'r-1',
      at: '2027-01-15T07:59:59Z',
      endpoint: 'token',
      status: 401,
      error: 'invalid_client',
      reason: 'wrong-secret',
      detail: 'the secret is wrong',
      client_id: 'one',
    },
  ]);
  assert.deepEqual(await ids(`limit=2&cursor=${String(json['next'])}`), ['r-2', 'r-3']);
});
