import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopeOfRole } from '../../src/spec/admin-scopes.ts';
import { withFolderLock } from '../../src/storage/sqlite/backup-folder.ts';
import { type Program } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import {
  ADMIN_PATH,
  addRival,
  administering,
  assertRefused,
  RIVAL,
  rivalAdmin,
  secondNode,
  tokenWith,
} from './admin-requests.ts';
import { type Answer, attackedProgram, encode, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';

/** H-545…H-549: backups over the administration API. PostgreSQL has tools of its own, which every operation names. */
const attacked = attackedProgram({ environment: { CHANCERY_ADMIN_LISTENERS: 'both' } }, async (prepared) => {
  await addRival(prepared);
  const url = await storageUrl(prepared.program.folder);
  file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
});
let file: string | undefined;
let second: Promise<Program> | undefined;
after(async () => await (await second)?.stop());

const BACKUPS = '/backups';
const admin = (method: string, path: string, more?: Parameters<typeof administering>[3]): HostileRequest =>
  administering(attacked, method, path, more);
const ask = async (method: string, path: string, more?: Parameters<typeof admin>[2]): Promise<Answer> =>
  await attacked.send(admin(method, path, more));

/** Makes a backup and waits until it is complete; undefined where another tool makes them. */
async function completeBackup(): Promise<string | undefined> {
  if (file === undefined) {
    assertRefused(await ask('POST', BACKUPS), 409, 'conflict');
    return undefined;
  }
  while (true) {
    const { status, json } = await ask('POST', BACKUPS);
    if (status === 201) return await completed(String(json['id']));
    // The process of the one before has not ended.
    assert.equal(status, 409, JSON.stringify(json));
  }
}

async function completed(id: string): Promise<string> {
  while (true) {
    const { json } = await ask('GET', `${BACKUPS}/${id}`);
    if (json['state'] === 'complete') return id;
    assert.equal(json['state'], 'creating', JSON.stringify(json));
    await sleep(10);
  }
}

const IS_BACKUP = /^\d{8}T\d{6}Z-[0-9a-f]{8}\.db$/u;
const filesOf = (folder: string, kind: RegExp): readonly string[] =>
  readdirSync(folder).filter((name) => kind.test(name));

const PATHS = ['', '/file', '/verify'] as const;
const NO_IDS = (id: string): readonly string[] => [
  '..%2f..%2fchancery',
  '..%2f..%2fchancery.db',
  '%2e%2e%2fchancery',
  '%2fetc%2fpasswd',
  'backups.lock',
  `${id}.db`,
  `${id}%00`,
  `${id}%2f..%2f${id}`,
  `.%2f${id}`,
  '%ff',
  id.toLowerCase(),
  '__proto__',
];

test('H-545 an id that names another file, by dots, slashes, octets or a longer name: 404, and no file is touched', async () => {
  const id = (await completeBackup()) ?? '20261123T080000Z-00000000';
  for (const name of NO_IDS(id))
    for (const [method, tail] of [
      ...PATHS.map((path) => [path === '/verify' ? 'POST' : 'GET', path]),
      ['DELETE', ''],
    ]) {
      const answer = await ask(String(method), `${BACKUPS}/${name}${tail}`, { headers: 'If-Match: *\r\n' });
      if (file === undefined) assert.ok([404, 409].includes(answer.status), answer.body);
      else assertRefused(answer, 404, 'not_found');
    }
  for (const path of ['/../chancery.db', '/..', `/${id}/../../chancery.db`, `/${id}/file/`, `/${id}//file`]) {
    const answer = await ask('GET', `${BACKUPS}${path}`);
    assert.equal(answer.status, 404, path);
  }
  if (file !== undefined) assert.ok(existsSync(file) && existsSync(join(`${file}.backups`, `${id}.db`)));
});

test('H-546 another tenant has no backups, and its tokens open none, whatever tenant the headers name', async () => {
  const id = (await completeBackup()) ?? '20261123T080000Z-00000000';
  for (const path of [BACKUPS, `${BACKUPS}/${id}`, `${BACKUPS}/${id}/file`]) {
    for (const bearer of [rivalAdmin, attacked.program.adminToken]) {
      const own = { ...admin('GET', path), path: `${RIVAL}${ADMIN_PATH}${path}`, bearer };
      assert.equal((await attacked.send(own)).status, 404);
    }
    assertRefused(await ask('GET', path, { bearer: rivalAdmin }), 401, 'invalid_token');
    const named = { bearer: rivalAdmin, headers: `Tenant-ID: ${attacked.program.tenant}\r\n` };
    assertRefused(await ask('GET', path, named), 401, 'invalid_token');
  }
});

test('H-547 a token without the scope, also one with everything that an operator has: 403, and no octet of a backup', async () => {
  const id = (await completeBackup()) ?? '20261123T080000Z-00000000';
  const files = (): readonly string[] => (file === undefined ? [] : filesOf(`${file}.backups`, IS_BACKUP));
  const before = files();
  const operator = await tokenWith(attacked, scopeOfRole('operator').join(' '));
  const stranger = await tokenWith(attacked, 'admin:keys admin:tenants admin:settings:read');
  for (const [bearer, reads] of [
    [operator, true],
    [stranger, false],
  ] as const) {
    const list = await ask('GET', BACKUPS, { bearer });
    if (!reads) assertRefused(list, 403, 'insufficient_scope');
    else if (file !== undefined) assert.equal(list.status, 200);
    for (const [method, path] of [
      ['POST', BACKUPS],
      ['POST', `${BACKUPS}/${id}/verify`],
      ['GET', `${BACKUPS}/${id}/file`],
      ['DELETE', `${BACKUPS}/${id}`],
    ] as const) {
      const refused = await ask(method, path, { bearer, headers: 'If-Match: *\r\n' });
      assertRefused(refused, 403, 'insufficient_scope');
      assert.match(refused.headers['www-authenticate'] ?? '', /scope="admin:backups"$/u);
    }
  }
  assert.deepEqual(files(), before);
});

test('H-548 twenty creations at once, over two nodes: one is made at a time, and the others answer 409', async () => {
  second ??= secondNode(attacked);
  const node = await second;
  const twenty = async (): Promise<readonly Response[]> =>
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { url } = index % 2 === 0 ? attacked.program : node;
        const headers = { authorization: `Bearer ${attacked.program.adminToken}` };
        return await fetch(`${url}${ADMIN_PATH}${BACKUPS}`, { method: 'POST', headers });
      }),
    );
  const refused = async (answer: Response): Promise<void> => {
    const { type } = (await answer.json()) as { readonly type: string };
    assert.deepEqual([answer.status, type], [409, 'urn:chancery:problem:conflict']);
  };
  if (file === undefined) return await all(await twenty(), refused);
  const folder = `${file}.backups`;
  const latest = await completeBackup();
  const earlier = filesOf(folder, IS_BACKUP);
  // A process that makes or verifies a backup holds this lock.
  await withFolderLock(folder, async () => await all(await twenty(), refused));
  assert.deepEqual(filesOf(folder, IS_BACKUP), earlier);
  assert.ok(earlier.includes(`${latest}.db`));
  const answers = await twenty();
  const made = answers.filter(({ status }) => status === 201);
  assert.ok(made.length > 0);
  await all(
    answers.filter(({ status }) => status !== 201),
    refused,
  );
  const ids = await Promise.all(made.map(async (answer) => ((await answer.json()) as { id: string }).id));
  for (const id of ids) await completed(id);
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(filesOf(folder, /\.new-/u), [], 'each was made alone, and none is half made');
});

async function all<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  await Promise.all(items.map(act));
}

test('H-549 a thousand ranges, ranges beyond the file and readers that leave: bounded answers, and the place of each is free again', async () => {
  const id = await completeBackup();
  if (id === undefined) return;
  const path = `${BACKUPS}/${id}/file`;
  const bytes = Number((await ask('GET', `${BACKUPS}/${id}`)).json['bytes']);
  for (const range of [`bytes=${bytes}-`, 'bytes=-0', `bytes=${'9'.repeat(300)}-`]) {
    const refused = await ask('GET', path, { headers: `Range: ${range}\r\n` });
    assertRefused(refused, 416, 'range_not_satisfiable');
    assert.equal(refused.headers['content-range'], `bytes */${bytes}`);
  }
  const many = Array.from({ length: 1000 }, (_, at) => `${at}-${at}`).join(',');
  const { managementUrl, adminToken } = attacked.program;
  const head = { authorization: `Bearer ${adminToken}`, range: `bytes=${many}` };
  const whole = await fetch(`${managementUrl}${ADMIN_PATH}${path}`, { headers: head });
  assert.deepEqual([whole.status, (await whole.bytes()).length], [200, bytes]);
  for (let count = 0; count < 8; count += 1) await leaveEarly(admin('GET', path));
  let status = 429;
  while (status === 429) {
    const last = await ask('GET', path, { headers: `Range: bytes=${bytes - 1}-\r\n` });
    ({ status } = last);
  }
  assert.equal(status, 206);
});

/** Reads the beginning of an answer, and closes the connection. */
async function leaveEarly(request: HostileRequest): Promise<void> {
  const { host, port } = attacked.program;
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = connect({ host, port });
  for (const part of encode(request)) if (typeof part === 'string') socket.write(part);
  socket.once('data', () => socket.destroy());
  socket.once('close', () => resolve());
  await promise;
}

testInvariantsAtTheEnd(attacked);
