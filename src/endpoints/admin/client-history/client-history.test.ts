import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientId } from '../../../spec/identifiers.ts';
import {
  assertProblem,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import type { Answer } from '../../../testing/exchange.ts';
import {
  ADMIN,
  type ClientInformation,
  MASTER,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../../testing/tenant.ts';

/** Registers a client and changes its name by the master token. */
async function changed(tenant: TestTenant, name = 'second'): Promise<ClientInformation> {
  const client = await tenant.register({ ...WEB_CLIENT, client_name: 'first' });
  await rename(tenant, client.client_id, name);
  return client;
}

async function rename(tenant: TestTenant, id: string, client_name: string): Promise<Answer> {
  const answered = await tenant.send('client-update', {
    bearer: MASTER,
    id,
    json: { ...WEB_CLIENT, client_name },
  });
  assert.equal(answered.status, 200, answered.body);
  return answered;
}

async function deleted(tenant: TestTenant): Promise<ClientInformation> {
  const client = await changed(tenant);
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id: client.client_id })).status, 204);
  return client;
}

const atChanged = async (tenant: TestTenant) => ({ segments: { id: (await changed(tenant)).client_id } });
const atDeleted = async (tenant: TestTenant) => ({ segments: { id: (await deleted(tenant)).client_id } });

const stored = async (tenant: TestTenant): Promise<unknown> => [
  await tenant.unwatched.clients.page(undefined, 10),
  await tenant.unwatched.clientHistory.deletedPage(undefined, 10),
  await tenant.unwatched.audit.page(0, 100),
];

testAdminOperation('admin-client-version-list', atChanged);
testAdminOperation('admin-client-version-read', async (tenant) => ({
  segments: { ...(await atChanged(tenant)).segments, version: '1' },
}));
testAdminOperation('admin-client-diff', atChanged);
testAdminOperation('admin-client-restore', async (tenant) => ({ ...(await atChanged(tenant)), json: {} }));
testAdminOperation('admin-deleted-client-list', atDeleted);
testAdminOperation('admin-deleted-client-read', atDeleted);
testAdminOperation('admin-deleted-client-restore', async (tenant) => ({
  ...(await atDeleted(tenant)),
  json: {},
}));
testAdminOperation('admin-deleted-client-purge', async (tenant) => ({
  ...(await atDeleted(tenant)),
  headers: { 'if-match': '*' },
}));
testAdminPrecondition('admin-deleted-client-purge', atDeleted);
testAdminDryRun(
  'admin-client-restore',
  async (tenant) => ({ ...(await atChanged(tenant)), json: {} }),
  stored,
);
testAdminDryRun(
  'admin-deleted-client-restore',
  async (tenant) => ({ ...(await atDeleted(tenant)), json: {} }),
  stored,
);
testAdminDryRun('admin-deleted-client-purge', atDeleted, stored);

test('200: the versions of a client have who made them, when and why, and the content without a secret (H-525)', async () => {
  const tenant = testTenant();
  const client = await changed(tenant);
  tenant.clock.advance(60);
  const segments = { id: client.client_id };
  const headers = { 'audit-reason': 'the name was wrong' };
  const undone = await tenant.send('admin-client-restore', { bearer: ADMIN, segments, json: {}, headers });
  assert.equal(undone.status, 200, undone.body);
  assert.deepEqual(
    [undone.json, undone.headers['etag']],
    [{ client_id: client.client_id, version: 3 }, '"3"'],
  );
  const { json } = await tenant.send('admin-client-version-list', { bearer: ADMIN, segments });
  const lines = json['items'] as readonly Record<string, unknown>[];
  const at = (seconds: number): string =>
    new Date((START + seconds) * 1000).toISOString().replace('.000', '');
  assert.deepEqual(
    lines.map(({ version, is_current, made_at, action, actor }) => [
      version,
      is_current,
      made_at,
      action,
      actor,
    ]),
    [
      [3, true, at(60), 'client.restore', 'admin:break-glass:break'],
      [2, false, at(0), 'client.update', 'master:master'],
      [1, false, at(0), 'client.create', 'master:master'],
    ],
  );
  const bodies: string[] = [];
  for (const version of ['1', '2', '3']) {
    const read = await tenant.send('admin-client-version-read', {
      bearer: ADMIN,
      segments: { ...segments, version },
    });
    bodies.push(read.body);
    const { client_name } = read.json['metadata'] as { client_name: string };
    assert.equal(client_name, version === '2' ? 'second' : 'first');
  }
  bodies.push(
    (await tenant.send('admin-client-diff', { bearer: ADMIN, segments, query: 'from=1&to=2' })).body,
  );
  const { json: now } = await tenant.send('client-read', { bearer: MASTER, id: client.client_id });
  const secrets = [client.client_secret, client.registration_access_token];
  secrets.push(String(now['client_secret']), String(now['registration_access_token']));
  for (const body of [
    ...bodies,
    JSON.stringify(await tenant.unwatched.audit.page(0, 100)),
    JSON.stringify(tenant.log),
  ])
    for (const secret of secrets) assert.ok(!body.includes(secret));
});

test('200: a difference has members by JSON pointer, secrets by name; without versions it is the last change', async () => {
  const tenant = testTenant();
  const segments = { id: (await changed(tenant)).client_id };
  const { json } = await tenant.send('admin-client-diff', { bearer: ADMIN, segments });
  const changes = json['changes'] as readonly { path: string; before?: unknown; after?: unknown }[];
  assert.deepEqual([json['from'], json['to']], [1, 2]);
  assert.deepEqual(
    changes.map(({ path }) => path),
    ['/metadata/client_name', '/registration_access_token_id', '/secrets/0', '/secrets/0'],
  );
  assert.deepEqual(changes[0], { path: '/metadata/client_name', before: 'first', after: 'second' });
  const back = await tenant.send('admin-client-diff', { bearer: ADMIN, segments, query: 'from=2&to=1' });
  assert.deepEqual((back.json['changes'] as readonly unknown[])[0], {
    path: '/metadata/client_name',
    before: 'second',
    after: 'first',
  });
});

test('200: pages of versions of two have every version once', async () => {
  const tenant = testTenant();
  const { client_id } = await changed(tenant);
  for (const name of ['third', 'fourth', 'fifth']) await rename(tenant, client_id, name);
  const seen: unknown[] = [];
  let cursor: unknown;
  do {
    const query = typeof cursor === 'string' ? `limit=2&cursor=${cursor}` : 'limit=2';
    const page = await tenant.send('admin-client-version-list', {
      bearer: ADMIN,
      segments: { id: client_id },
      query,
    });
    seen.push(
      ...(page.json['items'] as readonly { version: number; action: string }[]).map(
        ({ version, action }) => `${version} ${action}`,
      ),
    );
    cursor = page.json['next'];
  } while (cursor !== undefined);
  assert.deepEqual(seen, [
    '5 client.update',
    '4 client.update',
    '3 client.update',
    '2 client.update',
    '1 client.create',
  ]);
});

test('404: a version that is not kept, a client that did not change, an unknown client, and no deleted client', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  for (const version of ['2', '0', '01', '-1', 'x', '1e0', '9'.repeat(30)])
    assertProblem(
      await tenant.send('admin-client-version-read', { bearer: ADMIN, segments: { id, version } }),
      404,
      'not_found',
    );
  for (const segments of [{ id }, { id: 'unknown' }]) {
    assertProblem(
      await tenant.send('admin-client-restore', { bearer: ADMIN, segments, json: {} }),
      404,
      'not_found',
    );
    assertProblem(await tenant.send('admin-client-diff', { bearer: ADMIN, segments }), 404, 'not_found');
    for (const name of ['admin-deleted-client-restore', 'admin-deleted-client-read'])
      assertProblem(await tenant.send(name, { bearer: ADMIN, segments, json: {} }), 404, 'not_found');
  }
});

test('200: a deleted client is listed until its grace period ends, swept or not', async () => {
  const tenant = testTenant({ settings: { 'history.deleted-lifetime': 100 } });
  const { client_id } = await deleted(tenant);
  const listed = async (): Promise<readonly unknown[]> =>
    (await tenant.send('admin-deleted-client-list', { bearer: ADMIN })).json['items'] as readonly unknown[];
  const [line] = (await listed()) as readonly Record<string, unknown>[];
  assert.deepEqual(
    [line?.['client_id'], line?.['client_name'], line?.['actor'], line?.['registered_via']],
    [client_id, 'second', 'master:master', 'master:master'],
  );
  tenant.clock.advance(99);
  assert.equal((await listed()).length, 1);
  tenant.clock.advance(1);
  assert.deepEqual(await listed(), []);
  const segments = { id: client_id };
  assertProblem(
    await tenant.send('admin-deleted-client-restore', { bearer: ADMIN, segments, json: {} }),
    404,
    'not_found',
  );
});

test('200: a restored deleted client has a new secret and registration token, which appear once, and its history', async () => {
  const tenant = testTenant();
  const client = await deleted(tenant);
  const segments = { id: client.client_id };
  const { json } = await tenant.send('admin-deleted-client-restore', { bearer: ADMIN, segments, json: {} });
  const { client_id, version, client_secret, registration_access_token } = json as Record<string, string>;
  assert.deepEqual([client_id, version], [client.client_id, 3]);
  const read = await tenant.send('client-read', {
    bearer: registration_access_token ?? '',
    id: client.client_id,
  });
  assert.equal(read.status, 200, read.body);
  assert.deepEqual([read.json['client_secret'], read.json['client_name']], [client_secret, 'second']);
  const old = await tenant.send('client-read', {
    bearer: client.registration_access_token,
    id: client.client_id,
  });
  assert.equal(old.status, 401);
  const { json: versions } = await tenant.send('admin-client-version-list', { bearer: ADMIN, segments });
  const actions = (versions['items'] as readonly { action: string }[]).map(({ action }) => action);
  assert.deepEqual(actions, ['client.restore', 'client.update', 'client.create']);
});

test('409: a deleted client whose identifier a master token has registered again stays deleted, and can come back later', async () => {
  const tenant = testTenant();
  const { client_id } = await deleted(tenant);
  const again = { ...WEB_CLIENT, preferred_client_id: client_id };
  assert.equal((await tenant.send('client-registration', { bearer: MASTER, json: again })).status, 200);
  const restore = async (query = ''): Promise<Answer> =>
    await tenant.send('admin-deleted-client-restore', {
      bearer: ADMIN,
      segments: { id: client_id },
      json: {},
      query,
    });
  for (const query of ['', 'dry_run=true'])
    assertProblem(await restore(query), 409, 'conflict', /delete that client first$/);
  const { instance = '' } = (await tenant.unwatched.clients.find(client_id as ClientId)) ?? {};
  const foreign = await tenant.unwatched.clients.find(client_id as ClientId);
  assert.ok(foreign !== undefined && instance !== '');
});

test('204: a purge leaves no version and no deleted client, and the audit has it without its data (H-524)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...WEB_CLIENT, data: { person: 'Ada Lovelace' } });
  const id = client.client_id;
  await rename(tenant, id, 'second');
  await tenant.send('client-delete', { bearer: MASTER, id });
  const read = await tenant.send('admin-deleted-client-read', { bearer: ADMIN, segments: { id } });
  const headers = { 'if-match': read.headers['etag'] ?? '' };
  const purged = await tenant.send('admin-deleted-client-purge', {
    bearer: ADMIN,
    segments: { id },
    headers,
  });
  assert.equal(purged.status, 204, purged.body);
  assert.deepEqual(await tenant.unwatched.clientHistory.deletedPage(undefined, 10), []);
  const events = await tenant.unwatched.audit.page(0, 100);
  assert.deepEqual([events.at(-1)?.action, events.at(-1)?.client_id], ['client.purge', id]);
  assert.ok(!JSON.stringify(events).includes('Lovelace'));
});

test('409: a change between the plan of a restoration and its write wins, and nothing is lost', async () => {
  const tenant = testTenant();
  const { client_id } = await changed(tenant);
  tenant.watch.begin();
  tenant.watch.before('clients.replace', async () => {
    const now = await tenant.unwatched.clients.find(client_id as ClientId);
    assert.ok(now !== undefined);
    await tenant.unwatched.clients.replace({ ...now, version: now.version + 1, data: '1' }, now.version);
  });
  const segments = { id: client_id };
  assertProblem(
    await tenant.send('admin-client-restore', { bearer: ADMIN, segments, json: {} }),
    409,
    'conflict',
  );
  assert.equal((await tenant.unwatched.clients.find(client_id as ClientId))?.data, '1');
});
