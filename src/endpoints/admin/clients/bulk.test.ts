import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { ADMIN, SERVICE, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const DELETION: OperationRequest = async (tenant) => ({
  json: { action: 'delete', ids: [(await tenant.register(SERVICE)).client_id] },
});
const stored = async (tenant: TestTenant): Promise<unknown> =>
  await tenant.unwatched.clients.page(undefined, 1000);

testAdminOperation('admin-client-bulk', DELETION);
testAdminDryRun('admin-client-bulk', DELETION, stored);

const bulk = async (tenant: TestTenant, json: object, query = ''): Promise<Answer> =>
  await tenant.send('admin-client-bulk', { bearer: ADMIN, json, query });

async function registered(tenant: TestTenant, count: number, metadata: object): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push((await tenant.register(metadata)).client_id);
  return ids.toSorted();
}

interface Result {
  readonly done: readonly string[];
  readonly unchanged: readonly string[];
  readonly failed: readonly { readonly client_id: string; readonly reason: string }[];
  readonly next?: string;
}

async function all(tenant: TestTenant, body: object): Promise<{ parts: number; done: readonly string[] }> {
  const done: string[] = [];
  let parts = 0;
  let cursor: string | undefined;
  do {
    const answered = await bulk(tenant, { ...body, ...(cursor === undefined ? {} : { cursor }) });
    assert.equal(answered.status, 200, answered.body);
    const result = answered.json as unknown as Result;
    done.push(...result.done);
    parts += 1;
    cursor = result.next;
  } while (cursor !== undefined);
  return { parts, done };
}

test('a bulk deletion shows its clients in a dry run, goes in parts, and leaves the others', async () => {
  const tenant = testTenant();
  const gone = await registered(tenant, 130, { ...SERVICE, client_name: 'old one' });
  const [stays] = await registered(tenant, 1, { ...SERVICE, client_name: 'new one' });
  const body = { action: 'delete', filter: { name: 'old' } };
  const preview = await bulk(tenant, body, 'dry_run=true');
  const { matched, is_complete, first } = preview.json['result'] as Record<string, unknown>;
  assert.deepEqual([matched, is_complete], [130, true]);
  assert.deepEqual(
    (first as readonly { client_id: string }[]).map(({ client_id }) => client_id),
    gone.slice(0, 10),
  );
  const { parts, done } = await all(tenant, body);
  assert.equal(parts, 2);
  assert.deepEqual(done, gone);
  const left = await tenant.unwatched.clients.page(undefined, 10);
  assert.deepEqual(
    left.map(({ client_id }) => client_id),
    [stays],
  );
});

test('a bulk change of scope changes what needs it, keeps secrets, and says what it leaves', async () => {
  const tenant = testTenant();
  const narrow = await tenant.register({ ...SERVICE, scope: 'read' });
  const wide = await tenant.register({ ...SERVICE, scope: 'read write' });
  const ids = [narrow.client_id, wide.client_id, 'nothing'];
  const added = (await bulk(tenant, { action: 'add_scope', scope: ['write'], ids }))
    .json as unknown as Result;
  assert.deepEqual(added, {
    done: [narrow.client_id],
    unchanged: [wide.client_id],
    failed: [{ client_id: 'nothing', reason: 'not_found' }],
  });
  const form = { grant_type: 'client_credentials', scope: 'write' };
  const token = await tenant.send('token', { basic: [narrow.client_id, narrow.client_secret], form });
  assert.equal(token.status, 200, token.body);
  await bulk(tenant, { action: 'remove_scope', scope: ['write'], ids: [narrow.client_id] });
  const refused = await tenant.send('token', { basic: [narrow.client_id, narrow.client_secret], form });
  assert.equal(refused.status, 400, refused.body);
});

test('a bulk revocation ends the tokens of its clients, and needs admin:sessions too', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...SERVICE, scope: 'read' });
  const token = await tenant.authorize({ client_id, scope: ['read'] });
  const body = { action: 'revoke_tokens', ids: [client_id] };
  const bearer = await tenant.adminToken('admin:clients:write');
  assertProblem(await tenant.send('admin-client-bulk', { bearer, json: body }), 403, 'insufficient_scope');
  assert.equal((await tenant.introspect(token))['active'], true);
  assert.deepEqual((await bulk(tenant, body)).json['done'], [client_id]);
  assert.equal((await tenant.introspect(token))['active'], false);
  assert.deepEqual((await bulk(tenant, body)).json['unchanged'], [client_id]);
});

test('a bulk change touches no client that holds more than its caller, and gives no admin: scope', async () => {
  const tenant = testTenant();
  const json = { metadata: { ...SERVICE, scope: 'admin:accounts' } };
  const { client_id } = (await tenant.send('admin-client-create', { bearer: ADMIN, json })).json;
  const bearer = await tenant.adminToken('admin:clients:write');
  const refused = await tenant.send('admin-client-bulk', {
    bearer,
    json: { action: 'delete', ids: [client_id] },
  });
  const [failed] = (refused.json as unknown as Result).failed;
  assert.equal(failed?.client_id, client_id, refused.body);
  const { client_id: other } = await tenant.register(SERVICE);
  const body = { action: 'add_scope', scope: ['admin:accounts'], ids: [other] };
  const given = await tenant.send('admin-client-bulk', { bearer, json: body });
  assert.deepEqual((given.json as unknown as Result).done, []);
});

test('400: a bulk request without a choice of clients, with two, with an empty filter, or with too many ids', async () => {
  const tenant = testTenant();
  const many = Array.from({ length: 1001 }, (_, index) => `${index}`);
  for (const json of [
    { action: 'delete' },
    { action: 'delete', ids: ['a'], filter: { name: 'a' } },
    { action: 'delete', filter: {} },
    { action: 'delete', ids: [] },
    { action: 'delete', ids: many },
    { action: 'delete', ids: ['a'], scope: ['b'] },
    { action: 'add_scope', ids: ['a'] },
    { action: 'destroy', ids: ['a'] },
    { action: 'delete', filter: { colour: 'red' } },
    { action: 'delete', filter: { state: 'maybe' } },
  ])
    assertProblem(await bulk(tenant, json), 400, 'invalid_body');
});
