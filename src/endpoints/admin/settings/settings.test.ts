import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertProblem, testAdminOperation } from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

interface Setting {
  readonly name: string;
  readonly value: unknown;
  readonly origin: string;
  readonly default: unknown;
}

const itemsOf = ({ json }: Answer): readonly Setting[] => json['items'] as readonly Setting[];

const list = async (tenant: TestTenant, query: string): Promise<readonly Setting[]> =>
  itemsOf(await tenant.send('admin-setting-list', { bearer: ADMIN, query }));

testAdminOperation('admin-setting-list', () => ({}));
testAdminOperation('admin-setting-read', () => ({ segments: { name: 'listen.port' } }));

test('200: GET /admin/v1/settings has every setting with its value and its source, page by page', async () => {
  const origins = { 'id-token.lifetime': 'CHANCERY_ID_TOKEN_LIFETIME' };
  const tenant = testTenant({ settings: { 'id-token.lifetime': 1234 }, server: { origins } });
  const names: string[] = [];
  let cursor: unknown = '';
  while (typeof cursor === 'string') {
    const answered = await tenant.send('admin-setting-list', {
      bearer: ADMIN,
      query: `limit=200&cursor=${cursor}`,
    });
    names.push(...itemsOf(answered).map(({ name }) => name));
    cursor = answered.json['next'];
  }
  assert.ok(names.length > 100);
  assert.equal(new Set(names).size, names.length);
  const [changed, ...others] = await list(tenant, 'changed=true');
  assert.deepEqual(others, []);
  assert.deepEqual(
    [changed?.name, changed?.value, changed?.origin],
    ['id-token.lifetime', 1234, 'CHANCERY_ID_TOKEN_LIFETIME'],
  );
  assert.ok(!(await list(tenant, 'changed=false')).some(({ name }) => name === 'id-token.lifetime'));
  const [found] = await list(tenant, 'search=listen.port');
  assert.deepEqual(
    [found?.name, found?.value, found?.origin, found?.default],
    ['listen.port', 8080, 'default', 8080],
  );
});

test('200: secrets are masked in lists and items, and nothing else shows them', async () => {
  const secret = 'a'.repeat(64);
  const tenant = testTenant({
    settings: { 'encryption.key': [secret], 'storage.url': 'postgres://user:hidden-password@db/chancery' },
  });
  for (const name of [
    'encryption.key',
    'storage.url',
    'admin.token-sha256',
    'registration.master-token-sha256',
  ]) {
    const read = await tenant.send('admin-setting-read', { bearer: ADMIN, segments: { name } });
    assert.equal(read.status, 200);
    assert.equal(read.json['value'], '******', name);
    assert.equal(read.json['secret'], true);
  }
  const whole = await tenant.send('admin-setting-list', { bearer: ADMIN, query: 'limit=200' });
  assert.ok(!whole.body.includes(secret) && !whole.body.includes('hidden-password'));
  const unset = await tenant.send('admin-setting-read', {
    bearer: ADMIN,
    segments: { name: 'keys.jwk-set' },
  });
  assert.equal(unset.json['value'], null, 'a secret that is not set is shown as such');
});

test('a setting that does not exist: 404', async () => {
  for (const name of ['listen', 'listen.port/', '__proto__', 'constructor'])
    assertProblem(
      await testTenant().send('admin-setting-read', { bearer: ADMIN, segments: { name } }),
      404,
      'not_found',
    );
});
