import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { RecordedAuditEvent } from '../../../ports/audit-log.ts';
import {
  assertProblem,
  type OperationRequest,
  testAdminDryRun,
  testAdminOperation,
  testAdminPrecondition,
} from '../../../testing/admin-operations.ts';
import { type BackupsInMemory, CONTENT } from '../../../testing/backups.ts';
import type { Answer, TestRequest } from '../../../testing/exchange.ts';
import { ADMIN, START, type TestTenant, testTenant } from '../../../testing/tenant.ts';

const inMemory = ({ platform }: TestTenant): BackupsInMemory => platform.backups as BackupsInMemory;
const ask = async (tenant: TestTenant, name: string, request: TestRequest = {}): Promise<Answer> =>
  await tenant.send(name, { bearer: ADMIN, ...request });
const events = async ({ unwatched }: TestTenant): Promise<readonly RecordedAuditEvent[]> =>
  (await unwatched.audit.page(0, 200)).filter(({ action }) => action.startsWith('backup.'));

/** Makes a backup, and returns the segments that name it. */
async function complete(tenant: TestTenant): Promise<{ readonly segments: { readonly id: string } }> {
  const { json } = await ask(tenant, 'admin-backup-create');
  inMemory(tenant).finish();
  return { segments: { id: String(json['id']) } };
}

const aDeletion: OperationRequest = async (tenant) => ({
  ...(await complete(tenant)),
  headers: { 'if-match': '*' },
});
const stored = async (tenant: TestTenant): Promise<unknown> => [
  await inMemory(tenant).list(),
  await events(tenant),
];

testAdminOperation('admin-backup-list', () => ({}));
testAdminOperation('admin-backup-read', complete);
testAdminOperation('admin-backup-create', () => ({}));
testAdminDryRun('admin-backup-create', () => ({}), stored);
testAdminOperation('admin-backup-verify', complete);
testAdminDryRun('admin-backup-verify', complete, stored);
testAdminOperation('admin-backup-download', complete);
testAdminOperation('admin-backup-delete', aDeletion);
testAdminPrecondition('admin-backup-delete', complete);
testAdminDryRun('admin-backup-delete', complete, stored);

const NO_BACKUP = { segments: { id: '20270115T080000Z-ffffffff' } };

for (const name of ['read', 'verify', 'download', 'delete'])
  test(`404: admin-backup-${name} of an id that no backup has`, async () => {
    const headers = { 'if-match': '*' };
    const refused = await ask(testTenant(), `admin-backup-${name}`, { ...NO_BACKUP, headers });
    assertProblem(refused, 404, 'not_found', /^there is no such backup$/);
  });

test('201: a backup is begun, is creating at its Location, and has its manifest when it is complete', async () => {
  const tenant = testTenant();
  const made = await ask(tenant, 'admin-backup-create');
  assert.deepEqual([made.status, made.json['state']], [201, 'creating']);
  assert.equal(made.headers['location'], `backups/${String(made.json['id'])}`);
  inMemory(tenant).finish();
  const { json, headers } = await ask(tenant, 'admin-backup-read', {
    segments: { id: String(made.json['id']) },
  });
  const { id: _, sha256, tables, ...others } = json;
  assert.deepEqual(others, {
    state: 'complete',
    failure: null,
    requested_at: '2027-01-15T08:00:00Z',
    taken_at: '2027-01-15T08:00:00Z',
    bytes: CONTENT.length,
    program: '0.1.0',
    schema: 1,
    encryption_key: '0123abcd',
    rows: 2,
    verification: null,
  });
  assert.equal(sha256, createHash('sha256').update(CONTENT).digest('hex'));
  assert.deepEqual(tables, [{ table: 'client', rows: 2, sha256: 'ab'.repeat(32) }]);
  assert.notEqual(headers['etag'], made.headers['etag']);
});

test('409: while a backup is being made, neither another one, nor a verification, download or deletion of it', async () => {
  const tenant = testTenant();
  const { segments } = await complete(tenant);
  const { json } = await ask(tenant, 'admin-backup-create');
  const creating = { segments: { id: String(json['id']) }, headers: { 'if-match': '*' } };
  for (const query of ['', 'dry_run=true'])
    assertProblem(
      await ask(tenant, 'admin-backup-create', { query }),
      409,
      'conflict',
      /being made or verified/,
    );
  assertProblem(await ask(tenant, 'admin-backup-verify', { segments }), 409, 'conflict', /being made/);
  for (const name of ['verify', 'download'])
    assertProblem(await ask(tenant, `admin-backup-${name}`, creating), 409, 'conflict', /is creating$/);
  assertProblem(await ask(tenant, 'admin-backup-delete', creating), 409, 'conflict', /wait until/);
});

test('507: no backup is begun on a disk without room for it', async () => {
  const tenant = testTenant();
  inMemory(tenant).fill();
  for (const query of ['', 'dry_run=true'])
    assertProblem(
      await ask(tenant, 'admin-backup-create', { query }),
      507,
      'insufficient_storage',
      /1 MB left/,
    );
});

test('409: every operation names the tools of a PostgreSQL database', async () => {
  const backups = { unavailable: 'storage.url names a PostgreSQL database: use pg_dump' };
  const tenant = testTenant({ backups });
  for (const name of ['list', 'read', 'create', 'verify', 'download', 'delete']) {
    const request = { ...NO_BACKUP, headers: { 'if-match': '*' } };
    assertProblem(await ask(tenant, `admin-backup-${name}`, request), 409, 'conflict', /use pg_dump$/);
  }
});

test('200: a verification runs, and then says which tables differ', async () => {
  const tenant = testTenant();
  const { segments } = await complete(tenant);
  const { json } = await ask(tenant, 'admin-backup-verify', { segments });
  assert.deepEqual(json['verification'], { state: 'running', at: '2027-01-15T08:00:00Z', tables: [] });
  inMemory(tenant).finish({ verification: { at: START, finding: 'tables-changed', tables: ['client'] } });
  const read = await ask(tenant, 'admin-backup-read', { segments, query: 'fields=verification' });
  const verification = { state: 'tables-changed', at: '2027-01-15T08:00:00Z', tables: ['client'] };
  assert.deepEqual(read.json, { verification });
});

test('200: a dry run names the backups that the new one displaces; a list has the newest first, page by page', async () => {
  const tenant = testTenant({ settings: { 'backup.keep': 2 } });
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await complete(tenant)).segments.id);
  const { json } = await ask(tenant, 'admin-backup-create', { query: 'dry_run=true' });
  const words = (id: string): string =>
    `the backup ${id} is deleted when this one is complete (backup.keep is 2)`;
  assert.deepEqual(json['warnings'], ids.slice(1).map(words));
  const first = await ask(tenant, 'admin-backup-list', { query: 'limit=2&fields=id' });
  assert.deepEqual(
    first.json['items'],
    ids.slice(0, 2).map((id) => ({ id })),
  );
  const query = `limit=2&fields=id&cursor=${String(first.json['next'])}`;
  const rest = await ask(tenant, 'admin-backup-list', { query });
  assert.deepEqual(rest.json, { items: [{ id: ids[2] }] });
});

const download = async (
  tenant: TestTenant,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> => await ask(tenant, 'admin-backup-download', { ...(await complete(tenant)), headers });

test('200: a download has its length, a file name, the digest as ETag and Repr-Digest, and no cache keeps it', async () => {
  const { status, headers } = await download(testTenant());
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'application/vnd.sqlite3');
  assert.equal(headers['content-length'], String(CONTENT.length));
  assert.match(headers['content-disposition'] ?? '', /^attachment; filename="chancery-[0-9TZ]+-0{8}\.db"$/);
  assert.equal(headers['repr-digest'], `sha-256=:${createHash('sha256').update(CONTENT).digest('base64')}:`);
  assert.equal(headers['etag'], `"${createHash('sha256').update(CONTENT).digest('hex')}"`);
  assert.equal(headers['cache-control'], 'no-store');
});

const LAST = CONTENT.length - 1;

test('206: a range has its octets alone, its place and the length of the whole file (RFC 9110 §14)', async () => {
  for (const [range, first, last] of [
    ['bytes=0-0', 0, 0],
    ['bytes=10-19', 10, 19],
    [`bytes=${LAST}-`, LAST, LAST],
    ['bytes=-5', LAST - 4, LAST],
    [`bytes=100-${'9'.repeat(400)}`, 100, LAST],
    [`bytes=-${'9'.repeat(400)}`, 0, LAST],
  ] as const) {
    const answer = await download(testTenant(), { range });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.headers['content-range'], `bytes ${first}-${last}/${CONTENT.length}`, range);
    assert.equal(answer.headers['content-length'], String(last - first + 1));
  }
});

test('416: a range beyond the end of the file, and an empty one, with the length of the file (RFC 9110 §15.5.17)', async () => {
  for (const range of [`bytes=${CONTENT.length}-`, `bytes=${'9'.repeat(400)}-`, 'bytes=-0']) {
    const refused = await download(testTenant(), { range });
    assertProblem(refused, 416, 'range_not_satisfiable', /^the file has 140000 octets$/);
    assert.equal(refused.headers['content-range'], 'bytes */140000', range);
  }
});

test('200: several ranges, other units, a range that ends before it begins, and one of another version have the whole file', async () => {
  const many = `bytes=${Array.from({ length: 1000 }, (_, at) => `${at}-${at}`).join(',')}`;
  for (const range of [many, 'bytes=0-0,5-9', 'lines=0-1', 'bytes=9-5', 'bytes=-', 'bytes=a-b', '0-1']) {
    const { status, headers } = await download(testTenant(), { range });
    assert.deepEqual([status, headers['content-length']], [200, String(CONTENT.length)], range.slice(0, 40));
  }
  const other = await download(testTenant(), { range: 'bytes=0-0', 'if-range': '"other"' });
  assert.equal(other.status, 200);
  const etag = `"${createHash('sha256').update(CONTENT).digest('hex')}"`;
  assert.equal((await download(testTenant(), { range: 'bytes=0-0', 'if-range': etag })).status, 206);
});

test('429: a caller has a bounded number of downloads at a time, and a place is free when a reader leaves', async () => {
  const tenant = testTenant();
  const { segments } = await complete(tenant);
  const [made = assert.fail()] = await events(tenant);
  const leaves = [1, 2, 3].map(() => tenant.platform.streams.enter(made.actor));
  const refused = await ask(tenant, 'admin-backup-download', { segments });
  assertProblem(refused, 429, 'too_many_requests');
  leaves[0]?.();
  assert.equal((await ask(tenant, 'admin-backup-download', { segments })).status, 200);
  assert.equal((await ask(tenant, 'admin-backup-download', { segments })).status, 200, 'its place was left');
});

test('204: a deleted backup is gone: it is in no list, and has no file', async () => {
  const tenant = testTenant();
  const deletion = await aDeletion(tenant);
  assert.equal((await ask(tenant, 'admin-backup-delete', deletion)).status, 204);
  for (const name of ['read', 'download'])
    assertProblem(await ask(tenant, `admin-backup-${name}`, deletion), 404, 'not_found');
  assert.deepEqual((await ask(tenant, 'admin-backup-list')).json, { items: [] });
});

test('the audit names who made, verified, downloaded and deleted which backup; a download that cannot be noted does not begin', async () => {
  const tenant = testTenant();
  const { segments } = await complete(tenant);
  await ask(tenant, 'admin-backup-verify', { segments });
  inMemory(tenant).finish();
  await ask(tenant, 'admin-backup-download', { segments });
  await ask(tenant, 'admin-backup-delete', { segments, headers: { 'if-match': '*', 'audit-reason': 'old' } });
  const noted = await events(tenant);
  assert.deepEqual(
    noted.map(({ action, outcome, detail }) => [action, outcome, detail]),
    ['backup.create', 'backup.verify', 'backup.download', 'backup.delete'].map((action) => [
      action,
      'done',
      segments.id,
    ]),
  );
  assert.ok(noted.every(({ actor }) => actor.startsWith('admin:break-glass:')));
  assert.equal(noted.at(-1)?.reason, 'old');
  const other = testTenant();
  const there = await complete(other);
  other.watch.fail(new Error('gone'), 'audit.append');
  assertProblem(await ask(other, 'admin-backup-download', there), 500, 'server_error');
});
