import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantId } from '../../../spec/identifiers.ts';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { addTenant } from '../../../testing/storage/add-tenant.ts';
import { sharedTenants } from '../../../testing/storage.ts';
import { ADMIN, ISSUER, type TestTenant, testTenant } from '../../../testing/tenant.ts';

let made = 0;

/** Makes a tenant with a name of its own. */
async function aTenant(settings: object = {}, prefix = 'tenant'): Promise<string> {
  made += 1;
  const id = `${prefix}-${made}`;
  const own = settings as Readonly<Record<string, unknown>>;
  await addTenant({ tenants: sharedTenants }, { id, issuer: `https://${id}.example`, settings: own });
  return id;
}

const existing: OperationRequest = async () => ({ segments: { id: await aTenant() } });
const newOne: OperationRequest = () => {
  made += 1;
  return { json: { id: `new-${made}`, issuer: `https://new-${made}.example` } };
};
const deletable: OperationRequest = async (tenant) => ({
  ...(await existing(tenant)),
  query: 'force=true',
  headers: { 'if-match': '*' },
});
const patch: OperationRequest = async (tenant) => ({
  ...(await existing(tenant)),
  json: { settings: { 'access-token.lifetime': 300 } },
  headers: { 'if-match': '*', 'content-type': 'application/merge-patch+json' },
});
const all = async (): Promise<unknown> => await sharedTenants.version();

testAdminOperation('admin-tenant-list', () => ({}));
testAdminOperation('admin-tenant-read', existing);
testAdminOperation('admin-tenant-rows', existing);
testAdminOperation('admin-tenant-create', newOne);
testAdminOperation('admin-tenant-update', patch);
testAdminOperation('admin-tenant-disable', existing);
testAdminOperation('admin-tenant-enable', existing);
testAdminOperation('admin-tenant-delete', async (tenant) => {
  const { query: _, ...asked } = await deletable(tenant);
  const id = String(asked.segments?.['id']);
  await sharedTenants.replace(
    id as TenantId,
    1,
    { aliases: [], settings: '{}', owner: null, disabled_at: 1 },
    EVENT,
  );
  return asked;
});
testAdminPrecondition('admin-tenant-update', async (tenant) => {
  const { headers: _, ...asked } = await patch(tenant);
  return { ...asked, headers: { 'content-type': 'application/merge-patch+json' } };
});
testAdminPrecondition('admin-tenant-delete', async (tenant) => {
  const { headers: _, ...asked } = await deletable(tenant);
  return asked;
});
for (const [name, request] of [
  ['admin-tenant-create', newOne],
  ['admin-tenant-update', patch],
  ['admin-tenant-disable', existing],
  ['admin-tenant-delete', deletable],
] as const) {
  let asked: ReturnType<OperationRequest>;
  testAdminDryRun(
    name,
    async (tenant) => {
      asked = request(tenant);
      return await asked;
    },
    all,
  );
}

const EVENT = {
  at: 1,
  action: 'tenant.disable',
  outcome: 'done',
  actor: 'test',
  client_id: null,
  request_id: 'test',
  detail: null,
} as const;

const idsOf = ({ json }: Answer): readonly string[] =>
  (json['items'] as readonly { readonly id: string }[]).map(({ id }) => id);

async function send(tenant: TestTenant, name: string, request: object = {}): Promise<Answer> {
  return await tenant.send(name, { bearer: ADMIN, ...request });
}

test('201: POST /admin/v1/tenants makes a tenant that can be read at its Location, with masked digests', async () => {
  const tenant = testTenant();
  const digest = `ops:${'a'.repeat(64)}`;
  const settings = { 'access-token.lifetime': 300, 'registration.master-token-sha256': [digest] };
  const json = {
    id: 'created',
    issuer: 'https://created.example',
    aliases: ['https://alias.example'],
    settings,
  };
  const created = await send(tenant, 'admin-tenant-create', { json });
  assert.equal(created.status, 201, created.body);
  assert.equal(created.headers['location'], 'tenants/created');
  assert.deepEqual(created.json['settings'], { ...settings, 'registration.master-token-sha256': '******' });
  const read = await send(tenant, 'admin-tenant-read', { segments: { id: 'created' } });
  assert.deepEqual(read.json, created.json);
  assert.equal(read.headers['etag'], created.headers['etag']);
  assert.equal(read.json['state'], 'active');
});

test('400: a setting that is no setting, that no tenant may have, or has a wrong value is named by its pointer, and nothing is stored', async () => {
  const tenant = testTenant();
  const settings = { 'access-token.lifetme': 1, 'storage.url': 'sqlite:x', 'access-token.lifetime': -1 };
  const json = { id: 'mistaken', issuer: 'https://mistaken.example', settings };
  const refused = await send(tenant, 'admin-tenant-create', { json });
  assertProblem(refused, 400, 'invalid_body');
  const pointers = (refused.json['errors'] as readonly { readonly pointer: string }[]).map(
    ({ pointer }) => pointer,
  );
  assert.deepEqual(
    pointers.toSorted((one, other) => one.localeCompare(other)),
    ['/settings/access-token.lifetime', '/settings/access-token.lifetme', '/settings/storage.url'],
  );
  assertProblem(await send(tenant, 'admin-tenant-read', { segments: { id: 'mistaken' } }), 404, 'not_found');
  for (const [wrong, detail] of [
    [{ id: 'Upper', issuer: 'https://x.example' }, /id/u],
    [{ id: 'http', issuer: 'http://x.example' }, /issuer/u],
    [{ id: 'x', issuer: 'https://x.example', owner: 'me' }, /owner/u],
  ] as const)
    assertProblem(await send(tenant, 'admin-tenant-create', { json: wrong }), 400, 'invalid_body', detail);
});

test('409: an id or a name that is taken, the default tenant, and the place of an endpoint', async () => {
  const tenant = testTenant();
  const id = await aTenant();
  for (const [json, detail] of [
    [{ id, issuer: 'https://free.example' }, /there is a tenant/u],
    [{ id: 'free', issuer: `https://${id}.example` }, /the name of another issuer/u],
    [{ id: 'free', issuer: ISSUER }, /the name of another issuer/u],
    [{ id: 'free', issuer: `${ISSUER}/token` }, /would hide an endpoint/u],
    [{ id: 'default', issuer: 'https://free.example' }, /the default tenant/u],
  ] as const)
    assertProblem(await send(tenant, 'admin-tenant-create', { json }), 409, 'conflict', detail);
});

test('200: GET /admin/v1/tenants finds a tenant among many by a part of its names, in pages', async () => {
  const tenant = testTenant();
  const ids: string[] = [];
  for (let index = 0; index < 7; index += 1) ids.push(await aTenant({}, 'page'));
  const first = await send(tenant, 'admin-tenant-list', { query: 'q=PAGE-&limit=4' });
  assert.deepEqual(idsOf(first), ids.toSorted().slice(0, 4));
  const query = `q=PAGE-&limit=4&cursor=${String(first.json['next'])}`;
  const second = await send(tenant, 'admin-tenant-list', { query });
  assert.deepEqual([...idsOf(first), ...idsOf(second)], ids.toSorted());
  assert.equal(second.json['next'], undefined);
  const [one = ''] = ids;
  await send(tenant, 'admin-tenant-disable', { segments: { id: one } });
  assert.deepEqual(idsOf(await send(tenant, 'admin-tenant-list', { query: 'q=page-&state=disabled' })), [
    one,
  ]);
  const fields = await send(tenant, 'admin-tenant-list', { query: `q=${one}.&fields=id,state` });
  assert.deepEqual(fields.json['items'], [{ id: one, state: 'disabled' }]);
  assertProblem(await send(tenant, 'admin-tenant-list', { query: 'state=open' }), 400, 'invalid_parameter');
});

test('200: PATCH merges settings, null removes one, a masked secret that comes back stays, and aliases are replaced', async () => {
  const tenant = testTenant();
  const secret = [`ops:${'b'.repeat(64)}`];
  const id = await aTenant({ 'registration.master-token-sha256': secret, 'access-token.lifetime': 100 });
  const change = async (json: object, match = '*') =>
    await send(tenant, 'admin-tenant-update', {
      segments: { id },
      json,
      headers: { 'if-match': match, 'content-type': 'application/merge-patch+json' },
    });
  const settings = {
    'registration.master-token-sha256': '******',
    'access-token.lifetime': null,
    'id-token.lifetime': 200,
  };
  const changed = await change({ settings, aliases: ['https://other.example'] }, '"1"');
  assert.equal(changed.status, 200, changed.body);
  assert.deepEqual(changed.json['aliases'], ['https://other.example']);
  const found = await sharedTenants.find(id as TenantId);
  assert.deepEqual(JSON.parse(found?.settings ?? ''), {
    'registration.master-token-sha256': secret,
    'id-token.lifetime': 200,
  });
  assertProblem(await change({ settings: {} }, '"1"'), 412, 'precondition_failed');
  assertProblem(await change({ issuer: 'https://x.example' }), 400, 'invalid_body', /issuer/u);
  assertProblem(await change({ aliases: [ISSUER] }), 409, 'conflict');
  const wrong = await change({ settings: { 'access-token.lifetime': 'soon' } });
  assertProblem(wrong, 400, 'invalid_body', /\/settings\/access-token\.lifetime/u);
});

test('202: DELETE removes a disabled tenant with all its rows; its id stays taken, its issuer does not', async () => {
  const tenant = testTenant();
  const id = await aTenant();
  const segments = { id };
  const headers = { 'if-match': '*' };
  assertProblem(
    await send(tenant, 'admin-tenant-delete', { segments, headers }),
    409,
    'conflict',
    /in service/u,
  );
  assert.equal((await send(tenant, 'admin-tenant-disable', { segments })).json['state'], 'disabled');
  const preview = await send(tenant, 'admin-tenant-delete', { segments, headers, query: 'dry_run=true' });
  assert.deepEqual(preview.json['warnings'], ['2 rows of audit_event']);
  const rows = await send(tenant, 'admin-tenant-rows', { segments });
  assert.deepEqual(rows.json['items'], [{ table: 'audit_event', rows: 2, more: false }]);
  const deleted = await send(tenant, 'admin-tenant-delete', { segments, headers });
  assert.equal(deleted.status, 202, deleted.body);
  assert.deepEqual([deleted.json['state'], deleted.json['issuer']], ['deleted', null]);
  assert.deepEqual((await send(tenant, 'admin-tenant-rows', { segments })).json['items'], []);
  const issuer = `https://${id}.example`;
  const again = await send(tenant, 'admin-tenant-create', { json: { id, issuer } });
  assertProblem(again, 409, 'conflict', /is never used again/u);
  assert.equal(
    (await send(tenant, 'admin-tenant-create', { json: { id: `${id}-heir`, issuer } })).status,
    201,
  );
  for (const name of ['admin-tenant-enable', 'admin-tenant-disable'])
    assertProblem(await send(tenant, name, { segments }), 409, 'conflict', /the tenant is deleted/u);
  const state = await send(tenant, 'admin-tenant-list', { query: `state=deleted&q=${id}` });
  assert.deepEqual(idsOf(state), [id]);
});

test('a tenant beside the default one has no operations about tenants', async () => {
  const { platform } = testTenant();
  const { tenants: _, ...beside } = platform;
  const { endpoints } = await testTenant({ platform: beside }).managementSite();
  const names = endpoints.map(({ contract }) => contract.name);
  assert.ok(names.includes('admin-key-list'));
  assert.deepEqual(
    names.filter((name) => name.startsWith('admin-tenant')),
    [],
  );
});

test('a tenant that is not there: 404 with problem details', async () => {
  const tenant = testTenant();
  for (const name of ['read', 'rows', 'update', 'disable', 'enable', 'delete']) {
    const asked = { segments: { id: 'nothing' }, headers: { 'if-match': '*' } };
    const headers = { 'if-match': '*', 'content-type': 'application/merge-patch+json' };
    const request = name === 'update' ? { ...asked, json: {}, headers } : asked;
    assertProblem(await send(tenant, `admin-tenant-${name}`, request), 404, 'not_found', /no such tenant/u);
  }
});
