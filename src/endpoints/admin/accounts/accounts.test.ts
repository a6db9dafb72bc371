import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AdminRole, AdminScope } from '../../../spec/admin-scopes.ts';
import { ADMIN_SCOPES, scopeOfRole } from '../../../spec/admin-scopes.ts';
import type { Subject } from '../../../spec/identifiers.ts';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import { peopleWorld } from '../../../testing/admin-people.ts';
import type { Answer, TestRequest } from '../../../testing/exchange.ts';
import { ADMIN, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const PASSWORD = 'a long pass phrase';

/** An account made with the API; its subject. */
async function made(
  tenant: TestTenant,
  username = 'ada',
  admin_role: AdminRole | null = null,
): Promise<string> {
  const json = { username, password: PASSWORD, admin_role };
  const answered = await tenant.send('admin-account-create', { bearer: ADMIN, json });
  assert.equal(answered.status, 201, answered.body);
  return (answered.json['account'] as { readonly sub: string }).sub;
}

const oneAccount =
  (more: TestRequest = {}): OperationRequest =>
  async (tenant) => ({ segments: { sub: await made(tenant) }, ...more });

const forAll: OperationRequest = () => ({});
const toCreate: OperationRequest = () => ({ json: { username: 'ada', password: PASSWORD } });
const ANY = { headers: { 'if-match': '*' } };
const toChange = { json: { claims: { name: 'Ada' } } };

const stored = async (tenant: TestTenant): Promise<unknown> =>
  (await tenant.unwatched.accounts.page(undefined, 10)).map(({ version, disabled_at }) => [
    version,
    disabled_at,
  ]);

testAdminOperation('admin-account-list', forAll);
testAdminOperation('admin-account-read', oneAccount());
testAdminOperation('admin-account-create', toCreate);
testAdminOperation('admin-account-change', oneAccount({ ...ANY, ...toChange }));
testAdminOperation('admin-account-delete', oneAccount(ANY));
for (const verb of ['disable', 'enable', 'end-sessions'])
  testAdminOperation(`admin-account-${verb}`, oneAccount());
testAdminOperation('admin-account-password', oneAccount({ json: {} }));
testAdminPrecondition('admin-account-change', oneAccount(toChange));
testAdminPrecondition('admin-account-delete', oneAccount());
testAdminDryRun('admin-account-create', toCreate, stored);
testAdminDryRun('admin-account-change', oneAccount(toChange), stored);
testAdminDryRun('admin-account-disable', oneAccount(), stored);
testAdminDryRun('admin-account-password', oneAccount({ json: {} }), stored);

const usernames = ({ json }: Answer): string =>
  (json['items'] as readonly { readonly username: string }[]).map(({ username }) => username).join(' ');

test('200: GET /admin/v1/accounts filters by name, role and state, sorts, and pages with fields', async () => {
  const tenant = testTenant();
  for (const [name, role] of [
    ['Bea', 'viewer'],
    ['ada', 'administrator'],
    ['adam', null],
  ] as const)
    await made(tenant, name, role);
  const [adam] = (await tenant.storage.accounts.page('ada' as never, 1)).map(({ sub }) => sub);
  await tenant.send('admin-account-disable', { bearer: ADMIN, segments: { sub: adam ?? '' } });
  const list = async (query: string): Promise<string> =>
    usernames(await tenant.send('admin-account-list', { bearer: ADMIN, query }));
  assert.equal(await list(''), 'ada adam Bea');
  assert.equal(await list('q=EA'), 'Bea');
  assert.equal(await list('prefix=ada'), 'ada adam');
  assert.equal(await list('state=disabled'), 'adam');
  assert.equal(await list('role=viewer&state=enabled'), 'Bea');
  assert.equal((await list('sort=-created_at')).split(' ').length, 3);
  const page = await tenant.send('admin-account-list', { bearer: ADMIN, query: 'limit=2&fields=username' });
  assert.deepEqual(page.json['items'], [{ username: 'ada' }, { username: 'adam' }]);
  const next = String(page.json['next']);
  assert.equal(await list(`limit=2&fields=username&cursor=${next}`), 'Bea');
  assertProblem(
    await tenant.send('admin-account-list', { bearer: ADMIN, query: `role=viewer&cursor=${next}` }),
    400,
    'invalid_parameter',
  );
});

test('201: POST /admin/v1/accounts makes an account that signs in; 409 for a taken name, 422 for what no account can have', async () => {
  const tenant = testTenant();
  const create = async (json: object): Promise<Answer> =>
    await tenant.send('admin-account-create', { bearer: ADMIN, json });
  const first = await create({ username: 'Ada', claims: { email: 'ada@example.com' }, admin_role: 'viewer' });
  const { account, password } = first.json as { account: { sub: string }; password: string };
  assert.match(password, /^[A-Za-z0-9]{20}$/);
  assert.equal(first.headers['location'], `accounts/${account.sub}`);
  const read = await tenant.send('admin-account-read', { bearer: ADMIN, segments: { sub: account.sub } });
  assert.deepEqual(read.json, account);
  assert.equal(read.headers['etag'], '"1"');
  assert.doesNotMatch(read.body, /argon2|password_hash/);
  assertProblem(await create({ username: 'ADA', password: PASSWORD }), 409, 'conflict', /already exists/);
  for (const json of [
    { username: 'a b', password: PASSWORD },
    { username: 'bea', password: 'short' },
    { username: 'bea', password: PASSWORD, claims: { email: 7 } },
  ])
    assertProblem(await create(json), 422, 'request_rejected');
  assertProblem(await create({ username: 'bea', admin_role: 'root' }), 400, 'invalid_body');
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action, outcome }) => action === 'account.create' && outcome === 'done');
  assert.equal(event?.sub, account.sub);
  assert.match(event?.actor ?? '', /^admin:break-glass:/);
});

test('200: PATCH /admin/v1/accounts/{sub} merges claims and keeps the others (RFC 7396)', async () => {
  const tenant = testTenant();
  const sub = await made(tenant);
  const change = async (json: object, match: string): Promise<Answer> =>
    await tenant.send('admin-account-change', {
      bearer: ADMIN,
      segments: { sub },
      headers: { 'if-match': match },
      json,
    });
  const one = await change({ claims: { name: 'Ada', nickname: 'A' } }, '"1"');
  assert.equal(one.headers['etag'], '"2"', one.body);
  const two = await change({ claims: { nickname: null }, admin_role: 'operator' }, '"2"');
  assert.deepEqual([two.json['claims'], two.json['admin_role']], [{ name: 'Ada' }, 'operator']);
  assertProblem(await change({ claims: {} }, '"2"'), 412, 'precondition_failed');
  assert.equal((await change({ admin_role: null }, '*')).json['admin_role'], null);
});

test('DELETE of an account is answered with 204, and ends, like a lower role, a new password and disabling, the sessions and tokens of the account', async () => {
  for (const [verb, json] of [
    ['password', {}],
    ['disable', undefined],
    ['delete', undefined],
    ['change', { admin_role: null }],
  ] as const) {
    const tenant = testTenant();
    const { sub, tokens } = await peopleWorld(tenant);
    const segments = { sub };
    const account = await tenant.storage.accounts.find(sub as Subject);
    assert.ok(account);
    const replaced = { ...account, version: 2, admin_role: 'viewer' } as const;
    await tenant.storage.accounts.replace(replaced, { expectedVersion: 1, endAll: false });
    const request = { bearer: ADMIN, segments, ...ANY };
    const answered = await tenant.send(
      `admin-account-${verb}`,
      json === undefined ? request : { ...request, json },
    );
    assert.ok(answered.status < 300, answered.body);
    assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false }, verb);
    assert.deepEqual(await tenant.storage.sessions.ofSubject(sub as Subject), [], verb);
  }
});

test('200: POST …/end-sessions ends all sessions with an event each, and says how many', async () => {
  const tenant = testTenant();
  const { sub } = await peopleWorld(tenant);
  const answered = await tenant.send('admin-account-end-sessions', { bearer: ADMIN, segments: { sub } });
  assert.deepEqual(answered.json, { ended: 1 });
  const ended = (await tenant.unwatched.audit.page(0, 100)).filter(({ action }) => action === 'session.end');
  assert.deepEqual(
    ended.map((event) => event.sub),
    [sub],
  );
});

test('404: operations on an account that is not there', async () => {
  const tenant = testTenant();
  for (const verb of ['read', 'disable', 'enable', 'end-sessions'])
    assertProblem(
      await tenant.send(`admin-account-${verb}`, { bearer: ADMIN, segments: { sub: 'none' } }),
      404,
      'not_found',
    );
  for (const [verb, json] of [
    ['change', { claims: {} }],
    ['delete', undefined],
    ['password', {}],
  ] as const) {
    const request = { bearer: ADMIN, segments: { sub: 'none' }, ...ANY };
    const asked = json === undefined ? request : { ...request, json };
    assertProblem(await tenant.send(`admin-account-${verb}`, asked), 404, 'not_found');
  }
});

test('H-535: 403: a caller touches no account whose role permits more than its own token', async () => {
  const tenant = testTenant();
  const sub = await made(tenant, 'root', 'administrator');
  const operator = await tenant.adminToken(...scopeOfRole('operator'));
  const request = { bearer: operator, segments: { sub }, ...ANY };
  for (const [verb, json] of [
    ['password', { password: 'the password of an intruder' }],
    ['change', { claims: { email: 'intruder@example.com' } }],
    ['change', { admin_role: null }],
    ['disable', undefined],
    ['delete', undefined],
  ] as const) {
    const asked = json === undefined ? request : { ...request, json };
    assertProblem(
      await tenant.send(`admin-account-${verb}`, asked),
      403,
      'insufficient_scope',
      /admin:tenants/,
    );
    const dry = await tenant.send(`admin-account-${verb}`, { ...asked, query: 'dry_run=true' });
    assertProblem(dry, 403, 'insufficient_scope');
  }
});

test('H-535: 403: a caller gives no role that permits more than its own token, to a new account neither', async () => {
  const tenant = testTenant();
  const sub = await made(tenant);
  const operator = await tenant.adminToken(...scopeOfRole('operator'));
  const given = async (bearer: string, admin_role: AdminRole): Promise<Answer> =>
    await tenant.send('admin-account-change', { bearer, segments: { sub }, ...ANY, json: { admin_role } });
  assertProblem(await given(operator, 'administrator'), 403, 'insufficient_scope');
  const json = { username: 'eve', password: PASSWORD, admin_role: 'administrator' };
  assertProblem(
    await tenant.send('admin-account-create', { bearer: operator, json }),
    403,
    'insufficient_scope',
  );
  const accountsAlone = await tenant.adminToken('admin:accounts');
  assertProblem(await given(accountsAlone, 'viewer'), 403, 'insufficient_scope', /admin:audit:read/);
  assert.equal((await given(operator, 'viewer')).status, 200);
  const all: readonly AdminScope[] = ADMIN_SCOPES;
  assert.equal((await given(await tenant.adminToken(...all), 'administrator')).status, 200);
});

test('H-536: 409: the last enabled administrator is not lowered, disabled or deleted without force', async () => {
  const tenant = testTenant();
  const sub = await made(tenant, 'root', 'administrator');
  const request = { bearer: ADMIN, segments: { sub }, ...ANY };
  const lowered = { ...request, json: { admin_role: 'operator' } };
  for (const [verb, asked] of [
    ['change', lowered],
    ['disable', request],
    ['delete', request],
  ] as const) {
    assertProblem(await tenant.send(`admin-account-${verb}`, asked), 409, 'conflict', /last enabled account/);
    const dry = await tenant.send(`admin-account-${verb}`, { ...asked, query: 'dry_run=true&force=true' });
    assert.deepEqual(dry.json['warnings'], [
      'no enabled account has the role administrator afterwards',
      ...(verb === 'change' ? ['all sessions and grants of the account end'] : []),
    ]);
  }
  const second = await made(tenant, 'second', 'administrator');
  const race = [sub, second].map(async (each) =>
    tenant.send('admin-account-disable', { bearer: ADMIN, segments: { sub: each } }),
  );
  const statuses = (await Promise.all(race)).map(({ status }) => status);
  assert.deepEqual(new Set(statuses), new Set([200, 409]), 'of two at once, one stays');
  const left = statuses[0] === 200 ? second : sub;
  const forced = { bearer: ADMIN, segments: { sub: left }, query: 'force=true' };
  assert.equal((await tenant.send('admin-account-disable', forced)).status, 200);
});
