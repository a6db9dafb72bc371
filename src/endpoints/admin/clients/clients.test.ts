import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const METADATA = {
  client_name: 'Shop',
  redirect_uris: ['https://shop.example/cb'],
  scope: 'openid email',
};
const created = async (
  tenant: TestTenant,
  metadata: object = METADATA,
  beside: object = {},
): Promise<Answer> =>
  await tenant.send('admin-client-create', { bearer: ADMIN, json: { ...beside, metadata } });

const aClient: OperationRequest = async (tenant) => ({
  segments: { client_id: String((await created(tenant)).json['client_id']) },
});
const withBody =
  (json: object): OperationRequest =>
  async (tenant) => ({ ...(await aClient(tenant)), headers: { 'if-match': '*' }, json });
const matching: OperationRequest = async (tenant) => ({
  ...(await aClient(tenant)),
  headers: { 'if-match': '*' },
});
const without =
  (request: OperationRequest): OperationRequest =>
  async (tenant) => {
    const { headers: _, ...rest } = await request(tenant);
    return rest;
  };
const stored = async (tenant: TestTenant): Promise<unknown> =>
  await tenant.unwatched.clients.page(undefined, 100);

const REPLACEMENT = withBody({ metadata: { ...METADATA, client_name: 'Other' } });
const PATCH = withBody({ metadata: { client_name: 'Other', scope: null } });
const CREATION: OperationRequest = () => ({ json: { metadata: METADATA } });

testAdminOperation('admin-client-list', () => ({}));
testAdminOperation('admin-client-read', aClient);
testAdminOperation('admin-client-create', CREATION);
testAdminOperation('admin-client-replace', REPLACEMENT);
testAdminOperation('admin-client-patch', PATCH);
testAdminOperation('admin-client-delete', matching);
testAdminOperation('admin-client-reissue-registration-token', aClient);
testAdminOperation('admin-client-refusal-list', aClient);
testAdminPrecondition('admin-client-replace', without(REPLACEMENT));
testAdminPrecondition('admin-client-patch', without(PATCH));
testAdminPrecondition('admin-client-delete', aClient);
testAdminDryRun('admin-client-create', CREATION, stored);
testAdminDryRun('admin-client-replace', REPLACEMENT, stored);
testAdminDryRun('admin-client-patch', PATCH, stored);
testAdminDryRun('admin-client-delete', matching, stored);
testAdminDryRun('admin-client-reissue-registration-token', aClient, stored);

const idsOf = ({ json }: Answer): readonly string[] =>
  (json['items'] as readonly { client_id: string }[]).map(({ client_id }) => client_id);
const list = async (tenant: TestTenant, query: string): Promise<Answer> =>
  await tenant.send('admin-client-list', { bearer: ADMIN, query });
const read = async (tenant: TestTenant, client_id: string): Promise<Answer> =>
  await tenant.send('admin-client-read', { bearer: ADMIN, segments: { client_id } });

test('201: POST /admin/v1/clients answers with the secrets once, and GET has none of them', async () => {
  const tenant = testTenant();
  const answered = await created(tenant, METADATA, { client_id: 'shop', client_secret: 'x'.repeat(43) });
  assert.equal(answered.status, 201, answered.body);
  assert.equal(answered.headers['location'], 'clients/shop');
  assert.equal(answered.json['client_secret'], 'x'.repeat(43));
  assert.equal(answered.json['registered_via'], 'admin:break-glass:break');
  const found = await read(tenant, 'shop');
  assert.equal(found.headers['etag'], answered.headers['etag']);
  assert.ok(!found.body.includes('x'.repeat(43)));
  assert.ok(!found.body.includes(String(answered.json['registration_access_token'])));
  const own = await tenant.send('client-read', {
    bearer: String(answered.json['registration_access_token']),
    id: 'shop',
  });
  assert.equal(own.status, 200, own.body);
  assert.equal(own.json['client_name'], 'Shop');
  assertProblem(
    await created(tenant, METADATA, { client_id: 'shop' }),
    409,
    'conflict',
    /client_id is taken/,
  );
});

test('a list has what its filters name, in the order of its sort, in pages that a cursor joins', async () => {
  const tenant = testTenant();
  const names = ['Alpha', 'beta', 'Beta two', '100% _x_', '<script>'];
  const ids = [];
  for (const client_name of names)
    ids.push(String((await created(tenant, { ...METADATA, client_name })).json['client_id']));
  const service = { grant_types: ['client_credentials'], scope: 'read', client_name: 'Batch' };
  const batch = String((await created(tenant, service)).json['client_id']);
  const [alpha, beta, betaTwo, percent, script] = ids;
  assert.deepEqual(idsOf(await list(tenant, '')), [...ids, batch].toSorted());
  const cases: readonly (readonly [string, readonly (string | undefined)[]])[] = [
    ['name=BETA&sort=name', [beta, betaTwo]],
    ['name_contains=TWO', [betaTwo]],
    ['name_contains=%25', [percent]],
    ['name_contains=_', [percent]],
    ['name_contains=%3Cscript', [script]],
    ['grant_type=client_credentials', [batch]],
    ['scope=read', [batch]],
    ['scope=openid+email&name=alpha', [alpha]],
    ['redirect_host=shop.example&name=alpha', [alpha]],
    ['redirect_host=other.example', []],
    ['type=public', []],
    ['registered_via=admin&name=alpha', [alpha]],
    ['registered_via=admin%3Abreak-glass%3Abreak&name=alpha', [alpha]],
    ['registered_via=open', []],
    ['state=expired', []],
    ['used_before=2100-01-01T00:00:00Z&name=alpha', [alpha]],
    ['used_after=2000-01-01T00:00:00Z', []],
    ['created_after=2100-01-01T00:00:00Z', []],
    ['entity_id=https%3A%2F%2Frp.example', []],
    ['owner=team', []],
    ['sort=-name&type=confidential', [betaTwo, beta, batch, alpha, script, percent]],
  ];
  for (const [query, wanted] of cases) assert.deepEqual(idsOf(await list(tenant, query)), wanted, query);
  const seen: string[] = [];
  let cursor: unknown = '';
  while (typeof cursor === 'string') {
    const page = await list(tenant, `sort=-created_at&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    assert.equal(page.status, 200, page.body);
    seen.push(...idsOf(page));
    cursor = page.json['next'];
  }
  assert.deepEqual(seen.toSorted(), [...ids, batch].toSorted());
});

test('a list shows a change as soon as the change was answered, and a deletion answers 204', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...METADATA, client_name: 'first' });
  assert.deepEqual(idsOf(await list(tenant, 'name=first')), [client_id]);
  const segments = { client_id };
  const headers = { 'if-match': '*' };
  const patch = { bearer: ADMIN, segments, headers, json: { metadata: { client_name: 'second' } } };
  assert.equal((await tenant.send('admin-client-patch', patch)).status, 200);
  assert.deepEqual(idsOf(await list(tenant, 'name=first')), []);
  assert.deepEqual(idsOf(await list(tenant, 'name=second')), [client_id]);
  assert.equal((await tenant.send('admin-client-delete', { bearer: ADMIN, segments, headers })).status, 204);
  assert.deepEqual(idsOf(await list(tenant, 'name=second')), []);
});

test('a wrong filter, sort or cursor: 400, which names it', async () => {
  const tenant = testTenant();
  await created(tenant);
  for (const [query, words] of [
    ['sort=metadata', /^sort must be one of/],
    ['state=maybe', /^state must be one of/],
    ['created_after=yesterday', /^created_after /],
    ['created_after=2026-02-30T00:00:00Z', /^created_after must be a time that exists$/],
    ['scope=a%09b', /^scope must be at most 4/],
    ['scope=a+b+c+d+e', /^scope must be at most 4/],
    [`name=${'x'.repeat(501)}`, /^name /],
    ['grant_type=none', /^grant_type must be one of/],
    [`cursor=${Buffer.from('["x","y"]').toString('base64url')}`, /^cursor must be/],
  ] as const)
    assertProblem(await list(tenant, query), 400, 'invalid_parameter', words);
  const { next } = (await list(tenant, 'limit=1')).json;
  assert.equal(next, undefined);
});

test('PUT and PATCH keep the secret and the registration token, and a new method makes a secret', async () => {
  const tenant = testTenant();
  const made = await created(tenant, METADATA, { client_id: 'a' });
  const { client_secret, registration_access_token } = made.json as Record<string, string>;
  const segments = { client_id: 'a' };
  const headers = { 'if-match': String(made.headers['etag']) };
  const patched = await tenant.send('admin-client-patch', {
    bearer: ADMIN,
    segments,
    headers,
    json: { metadata: { client_name: null, contacts: ['ops@shop.example'] } },
  });
  assert.equal(patched.status, 200, patched.body);
  assert.equal(patched.json['client_secret'], undefined);
  const metadata = patched.json['metadata'] as Record<string, unknown>;
  assert.equal(metadata['client_name'], undefined);
  assert.deepEqual(metadata['contacts'], ['ops@shop.example']);
  const own = await tenant.send('client-read', { bearer: registration_access_token ?? '', id: 'a' });
  assert.equal(own.json['client_secret'], client_secret);
  assertProblem(
    await tenant.send('admin-client-patch', { bearer: ADMIN, segments, headers, json: { metadata: {} } }),
    412,
    'precondition_failed',
  );
  const replace = async (json: object): Promise<Answer> =>
    await tenant.send('admin-client-replace', {
      bearer: ADMIN,
      segments,
      headers: { 'if-match': '*' },
      json: { metadata: json },
    });
  const open = await replace({ ...METADATA, token_endpoint_auth_method: 'none' });
  assert.equal(open.json['type'], 'public');
  assert.deepEqual(open.json['secrets'], []);
  const closed = await replace(METADATA);
  assert.equal(typeof closed.json['client_secret'], 'string');
  assert.notEqual(closed.json['client_secret'], client_secret);
  assert.equal((await replace({ redirect_uris: ['javascript:alert(1)'] })).status, 400);
});

test('a caller gives and touches no admin: scope that it does not hold (H-531)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.adminToken('admin:clients:write');
  const json = { metadata: { grant_types: ['client_credentials'], scope: 'admin:accounts' } };
  const refused = await tenant.send('admin-client-create', { bearer, json });
  assert.equal(refused.status, 400, refused.body);
  const made = await tenant.send('admin-client-create', { bearer: ADMIN, json });
  assert.equal(made.status, 201, made.body);
  const segments = { client_id: String(made.json['client_id']) };
  const headers = { 'if-match': '*' };
  for (const [name, body] of [
    ['admin-client-patch', { json: { metadata: { client_name: 'mine' } } }],
    ['admin-client-delete', {}],
    ['admin-client-reissue-registration-token', {}],
    ['admin-client-secret-create', { json: {} }],
    ['admin-client-secret-rotate', { json: { keep_previous_seconds: 0 } }],
  ] as const) {
    const answered = await tenant.send(name, { bearer, segments, headers, ...body });
    assertProblem(answered, 403, 'insufficient_scope');
  }
});

test('404: an unknown client, with an id of any form', async () => {
  const tenant = testTenant();
  for (const client_id of ['nothing', 'a\0b', '\ud800', '%', "' OR 1=1 --", 'x'.repeat(5000)])
    assertProblem(await read(tenant, client_id.toWellFormed()), 404, 'not_found');
});

test('200: the refusals of a client id are those of the audit', async () => {
  const tenant = testTenant();
  const { client_id, registration_access_token } = await tenant.register(METADATA);
  const json = { ...METADATA, scope: 'openid email extra' };
  const own = { bearer: registration_access_token, id: client_id, json };
  assert.equal((await tenant.send('client-update', own)).status, 403);
  await nextTurn();
  const listed = await tenant.send('admin-client-refusal-list', { bearer: ADMIN, segments: { client_id } });
  assert.equal(listed.status, 200, listed.body);
  const [item] = listed.json['items'] as readonly Record<string, unknown>[];
  assert.deepEqual(
    [item?.['action'], item?.['actor'], item?.['reason']],
    ['client.update', 'registration', 'insufficient_scope'],
  );
});
