import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminScope } from '../../../spec/admin-scopes.ts';
import type { TenantId } from '../../../spec/identifiers.ts';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import { addTenant } from '../../../testing/storage/add-tenant.ts';
import { sharedTenants } from '../../../testing/storage.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

type Members = Readonly<Record<string, unknown>>;

let made = 0;

/** Declares a tenant with a name of its own. */
function aDeclaration(values: Members = {}): Members & { readonly id: string } {
  made += 1;
  const id = `declared-${made}`;
  return { id, issuer: `https://${id}.example`, aliases: [], settings: {}, ...values };
}

const DIGEST = 'a'.repeat(64);
const OTHER_DIGEST = 'b'.repeat(64);

const plan = async (tenant: TestTenant, tenants: readonly Members[], more: Members = {}): Promise<Answer> =>
  await tenant.send('admin-tenant-declaration-plan', {
    bearer: ADMIN,
    json: { owner: 'platform', tenants, ...more },
  });

const apply = async (
  tenant: TestTenant,
  steps: readonly Members[],
  { bearer = ADMIN, owner = 'platform' } = {},
): Promise<Answer> => await tenant.send('admin-tenant-declaration-apply', { bearer, json: { owner, steps } });

const creation = (values: Members = {}): Members & { readonly id: string } => ({
  action: 'create',
  seen: null,
  ...aDeclaration(values),
});

/** Creates a declared tenant, and returns its declaration. */
async function created(tenant: TestTenant, values: Members = {}): Promise<Members & { readonly id: string }> {
  const { action: _, seen: __, ...declaration } = creation(values);
  const answer = await apply(tenant, [{ action: 'create', seen: null, ...declaration }]);
  assert.equal(answer.status, 200, answer.body);
  return declaration;
}

const stepsOf = ({ json }: Answer): readonly Members[] => json['steps'] as readonly Members[];
const stored = async (id: string) => await sharedTenants.find(id as TenantId);

const aCreation: OperationRequest = () => ({ json: { owner: 'platform', steps: [creation()] } });
testAdminOperation('admin-tenant-declaration-list', () => ({ query: 'owner=platform' }));
testAdminOperation('admin-tenant-declaration-plan', () => ({
  json: { owner: 'platform', tenants: [aDeclaration()] },
}));
testAdminOperation('admin-tenant-declaration-apply', aCreation);
testAdminDryRun('admin-tenant-declaration-apply', aCreation, async () => await sharedTenants.version());

test('200: a declared tenant is planned, applied with its federation, and then as declared; its owner is in no setting', async () => {
  const tenant = testTenant();
  const settings = {
    'federation.enabled': true,
    'federation.authority-hints': ['https://ta.example'],
    'registration.master-token-sha256': [`ops:${DIGEST}`],
  };
  const declaration = aDeclaration({ settings });
  const planned = await plan(tenant, [declaration]);
  const [step] = stepsOf(planned);
  assert.deepEqual(
    [step?.['action'], step?.['seen'], step?.['secrets']],
    ['create', null, { 'registration.master-token-sha256': 'given' }],
  );
  assert.ok(!planned.body.includes(DIGEST), 'no plan has the value of a secret setting');
  const applied = await apply(tenant, [{ ...declaration, action: 'create', seen: null }]);
  assert.equal(applied.status, 200, applied.body);
  assert.ok(!applied.body.includes(DIGEST), 'no answer has the value of a secret setting');
  assert.deepEqual((await plan(tenant, [declaration])).json, { steps: [], problems: [] });
  const found = await stored(declaration.id);
  assert.deepEqual([found?.owner, JSON.parse(found?.settings ?? '')], ['platform', settings]);
});

test('200: a secret setting that is not declared stays, null removes it, and another value is a change without the value', async () => {
  const tenant = testTenant();
  const path = 'registration.master-token-sha256';
  const declaration = await created(tenant, { settings: { [path]: [DIGEST], 'access-token.lifetime': 300 } });
  const kept = { ...declaration, settings: { 'access-token.lifetime': 300 } };
  assert.deepEqual((await plan(tenant, [kept])).json, { steps: [], problems: [] });
  const other = { ...declaration, settings: { [path]: [OTHER_DIGEST], 'access-token.lifetime': 300 } };
  const [given] = stepsOf(await plan(tenant, [other]));
  assert.deepEqual([given?.['changes'], given?.['secrets']], [[], { [path]: 'given' }]);
  const bare = { ...declaration, settings: {} };
  const [changed] = stepsOf(await plan(tenant, [bare]));
  assert.deepEqual(changed?.['changes'], [{ path: '/settings/access-token.lifetime', before: 300 }]);
  assert.equal((await apply(tenant, [{ ...bare, action: 'change', seen: 1 }])).status, 200);
  assert.deepEqual(JSON.parse((await stored(declaration.id))?.settings ?? ''), { [path]: [DIGEST] });
  const gone = { ...bare, settings: { [path]: null } };
  const [removed] = stepsOf(await plan(tenant, [gone]));
  assert.deepEqual(removed?.['secrets'], { [path]: 'removed' });
  assert.equal((await apply(tenant, [{ ...gone, action: 'change', seen: 2 }])).status, 200);
  assert.equal((await stored(declaration.id))?.settings, '{}');
});

test('200: a tenant that an operator disabled stays disabled unless its declaration says otherwise', async () => {
  const tenant = testTenant();
  const declaration = await created(tenant);
  assert.equal(
    (await apply(tenant, [{ ...declaration, action: 'change', seen: 1, disabled: true }])).status,
    200,
  );
  assert.notEqual((await stored(declaration.id))?.disabled_at, null);
  assert.deepEqual((await plan(tenant, [declaration])).json, { steps: [], problems: [] });
  const [step] = stepsOf(await plan(tenant, [{ ...declaration, disabled: false }]));
  assert.deepEqual(step?.['changes'], [{ path: '/disabled', before: true, after: false }]);
});

test('a plan names each mistake in the words of the configuration: settings, issuer, id, names of others, the default tenant', async () => {
  const tenant = testTenant();
  const { id: takenId } = await created(tenant);
  const there = await stored(takenId);
  const cases: readonly (readonly [Members, RegExp])[] = [
    [aDeclaration({ settings: { 'listen.port': 1 } }), /settings\.listen\.port is a setting of the process/],
    [
      aDeclaration({ settings: { 'federation.authority-hint': [] } }),
      /settings\.federation\.authority-hint is not a setting; did you mean federation\.authority-hints\?/,
    ],
    [aDeclaration({ issuer: 'http://x.example?a' }), /^issuer must/],
    [{ ...aDeclaration(), id: 'Upper' }, /must have an id of at most 63/],
    [{ ...aDeclaration(), id: 'default' }, /is the default tenant/],
    [aDeclaration({ aliases: [there?.issuer] }), /is the name of another issuer already/],
    [{ ...aDeclaration(), id: takenId }, /has the issuer https:.*which cannot change/],
  ];
  for (const [declaration, words] of cases) {
    const { problems, steps } = (await plan(tenant, [declaration])).json as {
      readonly problems: readonly { readonly words: string }[];
      readonly steps: readonly unknown[];
    };
    assert.match(problems.map((one) => one.words).join('\n'), words);
    const applied = await apply(tenant, [{ ...declaration, action: 'create', seen: null }]);
    assert.ok(applied.status === 400 || applied.status === 409, applied.body);
    assert.ok(steps.length <= 1);
  }
});

test('409: steps happen all or not at all, and each conflict is named: changed, taken, of another owner, in service', async () => {
  const tenant = testTenant();
  const [one, two] = [await created(tenant), await created(tenant)];
  const fresh = creation();
  const refused = await apply(tenant, [
    fresh,
    { ...one, action: 'change', seen: 7 },
    { ...two, action: 'create', seen: null },
  ]);
  assertProblem(refused, 409, 'conflict', /nothing was applied/);
  assert.deepEqual(refused.json['errors'], [
    { pointer: one.id, detail: 'was changed meanwhile' },
    { pointer: two.id, detail: 'is there already' },
  ]);
  assert.equal(await stored(fresh.id), undefined, 'the other steps are not applied either');
  const stolen = await apply(tenant, [{ ...one, action: 'change', seen: 1 }], { owner: 'others' });
  assertProblem(stolen, 409, 'conflict', /has another owner now/);
  const live = await apply(tenant, [{ action: 'delete', id: one.id, seen: 1 }]);
  assertProblem(live, 409, 'conflict', /is in service: disable it before its deletion/);
  assertProblem(
    await apply(tenant, [creation(), { action: 'delete', id: one.id, seen: 1 }]),
    400,
    'invalid_body',
    /must not be delete beside other steps/,
  );
  assertProblem(
    await apply(tenant, [{ action: 'create', id: fresh.id, seen: null }]),
    400,
    'invalid_body',
    /issuer is required/,
  );
});

test('200: another owner adopts a tenant explicitly; a deletion of a disabled tenant ends it, and its id is never used again', async () => {
  const tenant = testTenant();
  const declaration = await created(tenant, { disabled: true });
  const asked = { owner: 'others' };
  const refused = (await plan(tenant, [declaration], asked)).json['problems'] as readonly Members[];
  assert.match(String(refused[0]?.['words']), /has the owner platform: adopt it explicitly/);
  const [step] = stepsOf(await plan(tenant, [declaration], { ...asked, adopt: [declaration.id] }));
  assert.equal(step?.['adopted_from'], 'platform');
  const adopted = { ...declaration, action: 'change', seen: 1, adopted_from: 'platform' };
  assert.equal((await apply(tenant, [adopted], asked)).status, 200);
  const query = 'owner=others';
  const { items } = (await tenant.send('admin-tenant-declaration-list', { bearer: ADMIN, query })).json;
  assert.deepEqual(items, [{ id: declaration.id, version: 2, disabled: true }]);
  const removed = await apply(tenant, [{ action: 'delete', id: declaration.id, seen: 2 }], asked);
  assert.equal(removed.status, 200, removed.body);
  assert.notEqual((await stored(declaration.id))?.deleted_at, null);
  const again = (await plan(tenant, [declaration])).json['problems'] as readonly Members[];
  assert.match(String(again[0]?.['words']), /which is never used again/);
});

test('200: GET /admin/v1/declarations/tenants lists the tenants of one owner in pages', async () => {
  const tenant = testTenant();
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) {
    const { id, ...rest } = creation();
    assert.equal((await apply(tenant, [{ id, ...rest }], { owner: 'pages' })).status, 200);
    ids.push(id);
  }
  const ask = async (query: string): Promise<Members> =>
    (await tenant.send('admin-tenant-declaration-list', { bearer: ADMIN, query })).json;
  const first = await ask('owner=pages&limit=2');
  const second = await ask(`owner=pages&limit=2&cursor=${String(first['next'])}`);
  const items = [...(first['items'] as Members[]), ...(second['items'] as Members[])];
  assert.deepEqual(
    items.map(({ id }) => id),
    ids.toSorted(),
  );
  assert.equal(second['next'], undefined);
  assertProblem(
    await tenant.send('admin-tenant-declaration-list', { bearer: ADMIN }),
    400,
    'invalid_parameter',
    /owner is required/,
  );
});

test('403: a caller gives a tenant no setting that opens more to it than its own scope', async () => {
  const tenant = testTenant();
  const needed: readonly (readonly [settings: Members, has: readonly AdminScope[], missing: AdminScope])[] = [
    [{ 'federation.enabled': true }, ['admin:tenants'], 'admin:federation'],
    [
      { 'registration.master-token-sha256': [DIGEST] },
      ['admin:tenants', 'admin:clients:write'],
      'admin:all-tenants',
    ],
    [
      { 'sign-in.token-sha256': [DIGEST] },
      ['admin:tenants', 'admin:accounts', 'admin:all-tenants'],
      'admin:sessions',
    ],
    [
      { 'direct-authorization.token-sha256': [DIGEST] },
      ['admin:tenants', 'admin:sessions', 'admin:all-tenants'],
      'admin:tokens',
    ],
    [{ 'admin.token-sha256': [DIGEST] }, ['admin:tenants', 'admin:all-tenants'], 'admin:keys'],
  ];
  for (const [settings, has, missing] of needed) {
    const bearer = await tenant.adminToken(...has);
    const step = creation({ settings });
    const refused = await apply(tenant, [step], { bearer });
    assertProblem(refused, 403, 'insufficient_scope');
    assert.match(String(refused.headers['www-authenticate']), new RegExp(`scope="[^"]*${missing}`, 'u'));
    assert.equal(await stored(step.id), undefined);
  }
  const bearer = await tenant.adminToken('admin:tenants');
  assertProblem(
    await apply(tenant, [creation(), creation()], { bearer }),
    403,
    'insufficient_scope',
    /admin:all-tenants/,
  );
  assert.equal(
    (await apply(tenant, [creation({ settings: { 'access-token.lifetime': 60 } })], { bearer })).status,
    200,
  );
});

test('a tenant that no file declares has no owner, and a change of its settings by others keeps the owner', async () => {
  const tenant = testTenant();
  const declaration = await created(tenant);
  const changed = await tenant.send('admin-tenant-update', {
    bearer: ADMIN,
    segments: { id: declaration.id },
    json: { settings: { 'access-token.lifetime': 60 } },
    headers: { 'if-match': '*' },
    contentType: 'application/merge-patch+json',
  });
  assert.deepEqual([changed.status, changed.json['owner']], [200, 'platform']);
  const { id } = aDeclaration();
  await addTenant({ tenants: sharedTenants }, { id, issuer: `https://${id}.example`, settings: {} });
  assert.equal((await stored(id))?.owner, null);
});
