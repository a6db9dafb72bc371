import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { ADMIN, type TestTenant, testTenant, WEB_CLIENT } from '../../../testing/tenant.ts';

const created = async (tenant: TestTenant, json: object = { label: 'team' }): Promise<Answer> =>
  await tenant.send('admin-initial-access-token-create', { bearer: ADMIN, json });
const aToken: OperationRequest = async (tenant) => ({
  segments: { id: String((await created(tenant)).json['id']) },
});
const revocation: OperationRequest = async (tenant) => ({ ...(await aToken(tenant)), json: {} });
const stored = async (tenant: TestTenant): Promise<unknown> =>
  await tenant.unwatched.accessTokens.pageInitial(undefined, 100);

testAdminOperation('admin-initial-access-token-list', () => ({}));
testAdminOperation('admin-initial-access-token-read', aToken);
testAdminOperation('admin-initial-access-token-create', () => ({ json: { label: 'team' } }));
testAdminOperation('admin-initial-access-token-revoke', revocation);
testAdminDryRun('admin-initial-access-token-create', () => ({ json: { label: 'team' } }), stored);
testAdminDryRun('admin-initial-access-token-revoke', revocation, stored);

const itemsOf = ({ json }: Answer): readonly Record<string, unknown>[] =>
  json['items'] as readonly Record<string, unknown>[];
const list = async (tenant: TestTenant, query = ''): Promise<readonly Record<string, unknown>[]> =>
  itemsOf(await tenant.send('admin-initial-access-token-list', { bearer: ADMIN, query }));
const revoke = async (
  tenant: TestTenant,
  id: unknown,
  json: object = {},
  bearer: string = ADMIN,
): Promise<Answer> =>
  await tenant.send('admin-initial-access-token-revoke', { bearer, segments: { id: String(id) }, json });

test('201: a token is shown once, registers one client, and its lineage names that client', async () => {
  const tenant = testTenant();
  const made = await created(tenant, { label: 'Team A', redirect_hosts: ['client.example'] });
  assert.equal(made.status, 201, made.body);
  const { access_token, id } = made.json as Record<string, string>;
  const registered = await tenant.send('client-registration', {
    bearer: access_token ?? '',
    json: WEB_CLIENT,
  });
  assert.equal(registered.status, 200, registered.body);
  const { client_id } = registered.json;
  const [item] = await list(tenant, 'label=team&state=used');
  assert.deepEqual([item?.['id'], item?.['client']], [id, { client_id, state: 'active' }]);
  assert.ok(!JSON.stringify(item).includes(access_token ?? '-'));
  assert.deepEqual(await list(tenant, 'state=live'), []);
  assert.deepEqual(await list(tenant, 'label=other'), []);
});

test('200: a revocation ends a live token; of a used one, with cascade, the client', async () => {
  const tenant = testTenant();
  const live = (await created(tenant)).json;
  const revoked = await revoke(tenant, live['id']);
  assert.equal(revoked.json['state'], 'revoked', revoked.body);
  const bearer = String(live['access_token']);
  assert.equal((await tenant.send('client-registration', { bearer, json: WEB_CLIENT })).status, 401);
  assertProblem(await revoke(tenant, live['id']), 409, 'conflict', /revoked before/);
  const used = (await created(tenant)).json;
  const json = WEB_CLIENT;
  const made = await tenant.send('client-registration', { bearer: String(used['access_token']), json });
  assertProblem(await revoke(tenant, used['id']), 409, 'conflict', /with cascade, its client is deleted/);
  const half = await tenant.adminToken('admin:tokens');
  assertProblem(await revoke(tenant, used['id'], { cascade: true }, half), 403, 'insufficient_scope');
  const gone = await revoke(tenant, used['id'], { cascade: true });
  assert.deepEqual(gone.json['client'], { client_id: made.json['client_id'], state: 'deleted' }, gone.body);
  assertProblem(await revoke(tenant, used['id'], { cascade: true }), 409, 'conflict', /gone already/);
});

test('a token of one label after the other comes in pages, each once', async () => {
  const tenant = testTenant();
  const ids: unknown[] = [];
  for (let index = 0; index < 5; index += 1)
    ids.push((await created(tenant, { label: index % 2 === 0 ? 'even' : 'odd' })).json['id']);
  const seen: unknown[] = [];
  let cursor: unknown = '';
  while (typeof cursor === 'string') {
    const query = `label=even&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const page = await tenant.send('admin-initial-access-token-list', { bearer: ADMIN, query });
    seen.push(...itemsOf(page).map(({ id }) => id));
    cursor = page.json['next'];
  }
  assert.deepEqual(
    seen,
    ids.filter((_, index) => index % 2 === 0),
  );
});

test('400: a scope that registers nothing, and a lifetime above the limit', async () => {
  const tenant = testTenant();
  for (const [json, words] of [
    [{ scope: ['openid'] }, /^\/scope takes client-reg:… values, found "openid"$/],
    [{ scope: [] }, /^\/scope is empty$/],
    [{ scope: ['client-reg:scope:a'] }, /^\/scope permits no grant type/],
    [{ lifetime: 0 }, /lifetime/],
    [{ redirect_hosts: [] }, /redirect_hosts/],
  ] as const)
    assertProblem(await created(tenant, json), 400, 'invalid_body', words);
  assert.equal((await created(tenant, { lifetime: 1_000_000_000 })).status, 400);
});

test('404: an unknown token, with an id of any form', async () => {
  const tenant = testTenant();
  for (const id of ['nothing', '', 'a\0b', '%', 'x'.repeat(3000)])
    assertProblem(await revoke(tenant, id), 404, 'not_found');
});
