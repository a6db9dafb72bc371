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

const DECLARED = { owner: 'shop', clients: [{ client_id: 'job', metadata: SERVICE }] };

async function steps(tenant: TestTenant, json: object = DECLARED): Promise<Answer> {
  const planned = await tenant.send('admin-declaration-plan', { bearer: ADMIN, json });
  assert.equal(planned.status, 200, planned.body);
  return planned;
}

async function apply(tenant: TestTenant, list: readonly object[], bearer: string = ADMIN): Promise<Answer> {
  return await tenant.send('admin-declaration-apply', { bearer, json: { owner: 'shop', steps: list } });
}

const CREATION = { action: 'create', client_id: 'job', seen: null, metadata: SERVICE };
const creation: OperationRequest = () => ({ json: { owner: 'shop', steps: [CREATION] } });

testAdminOperation('admin-declaration-list', () => ({ query: 'owner=shop' }));
testAdminOperation('admin-declaration-plan', () => ({ json: DECLARED }));
testAdminOperation('admin-declaration-apply', creation);
testAdminDryRun(
  'admin-declaration-apply',
  creation,
  async (tenant) => await tenant.storage.clients.page(undefined, 10),
);

test('200: a plan over HTTP has the steps of the command, apply does them, and the next plan is empty', async () => {
  const tenant = testTenant();
  const json = {
    owner: 'shop',
    clients: [{ client_id: 'job', metadata: SERVICE, client_secret: 's'.repeat(43) }],
  };
  const planned = await steps(tenant, json);
  const [step] = planned.json['steps'] as readonly Record<string, unknown>[];
  assert.deepEqual([step?.['action'], step?.['seen'], step?.['secret']], ['create', null, 'given']);
  const { changes: _, secret: __, ...rest } = step ?? {};
  const applied = await apply(tenant, [{ ...rest, metadata: SERVICE, client_secret: 's'.repeat(43) }]);
  assert.equal(applied.status, 200, applied.body);
  assert.equal(applied.json['applied'], 1);
  assert.ok(!`${planned.body}${applied.body}`.includes('ssss'), 'no answer has the secret');
  assert.deepEqual((await steps(tenant, json)).json, { steps: [], problems: [], dropped: [] });
  const form = { grant_type: 'client_credentials' };
  assert.equal((await tenant.send('token', { basic: ['job', 's'.repeat(43)], form })).status, 200);
  const event = (await tenant.unwatched.audit.page(0, 10)).find(({ action }) => action === 'client.create');
  assert.deepEqual(
    [event?.actor, event?.client_id, event?.detail],
    ['admin:break-glass:break', 'job', 'declared by shop'],
  );
});

test('409: a client that was changed since the plan is a conflict, and the other steps are not applied either', async () => {
  const tenant = testTenant();
  await apply(tenant, [CREATION]);
  const other = { ...CREATION, client_id: 'other' };
  const refused = await apply(tenant, [other, CREATION]);
  assertProblem(refused, 409, 'conflict', /nothing was applied: job was registered meanwhile/);
  assert.deepEqual(refused.json['errors'], [{ pointer: 'job', detail: 'was registered meanwhile' }]);
  assert.equal((await tenant.storage.clients.page(undefined, 10)).length, 1);
});

test('200: GET /admin/v1/declarations lists the clients of one owner in pages, for a prune', async () => {
  const tenant = testTenant();
  await apply(
    tenant,
    ['a', 'b', 'c'].map((client_id) => ({ ...CREATION, client_id })),
  );
  await tenant.register({ ...SERVICE, preferred_client_id: 'free' });
  const first = await tenant.send('admin-declaration-list', { bearer: ADMIN, query: 'owner=shop&limit=2' });
  const query = `owner=shop&limit=2&cursor=${String(first.json['next'])}`;
  const second = await tenant.send('admin-declaration-list', { bearer: ADMIN, query });
  const items = [...(first.json['items'] as object[]), ...(second.json['items'] as object[])] as {
    readonly client_id: string;
  }[];
  assert.deepEqual(
    items.map(({ client_id }) => client_id),
    ['a', 'b', 'c'],
  );
  assert.equal(second.json['next'], undefined);
  const removed = await apply(
    tenant,
    items.map(({ client_id, ...seen }) => {
      const { has_secret: _, ...version } = seen as { readonly has_secret?: boolean };
      return { action: 'delete', client_id, seen: version };
    }),
  );
  assert.equal(removed.json['applied'], 3, removed.body);
  assertProblem(
    await tenant.send('admin-declaration-list', { bearer: ADMIN }),
    400,
    'invalid_parameter',
    /owner is required/,
  );
});

test('403: a declaration gives no client what its caller lacks, and takes over none that holds more', async () => {
  const tenant = testTenant();
  const bearer = await tenant.adminToken('admin:clients:write');
  const scope = 'admin:accounts';
  const asked = await apply(tenant, [{ ...CREATION, metadata: { ...SERVICE, scope } }], bearer);
  assert.ok(asked.status >= 400 && asked.body.includes('registered only by the operator'), asked.body);
  const created = await apply(tenant, [{ ...CREATION, metadata: { ...SERVICE, scope } }]);
  assert.equal(created.status, 200, created.body);
  const { items } = (await tenant.send('admin-declaration-list', { bearer: ADMIN, query: 'owner=shop' }))
    .json as { readonly items: readonly { readonly instance: string; readonly version: number }[] };
  const [item] = items;
  const seen = { instance: item?.instance, version: item?.version };
  const taken = {
    action: 'change',
    client_id: 'job',
    seen,
    metadata: SERVICE,
    client_secret: 't'.repeat(43),
  };
  assertProblem(await apply(tenant, [taken], bearer), 403, 'insufficient_scope');
  assert.equal((await apply(tenant, [taken])).status, 200);
});

test('400: a step without metadata, a wrong owner and a repeated client are refused', async () => {
  const tenant = testTenant();
  const { metadata: _, ...bare } = CREATION;
  assertProblem(await apply(tenant, [bare]), 400, 'invalid_body', /\/steps\/0\/metadata is required/);
  const json = { ...DECLARED, owner: 'Shop team' };
  assertProblem(await tenant.send('admin-declaration-plan', { bearer: ADMIN, json }), 400, 'invalid_body');
  assertProblem(await apply(tenant, [CREATION, CREATION]), 409, 'conflict');
});
