import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { administer } from '../../src/testing/postgres/server.ts';
import { PROGRAM } from '../../src/testing/program.ts';
import { aClient, OPEN, TENANT, times } from '../../src/testing/storage/stored-examples.ts';
import { register } from '../hostile/sign-in-world.ts';
import { endedWithTests } from '../program/children.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { movedWorld } from './moved-world.ts';
import { jsonLines, type Members } from './registry-commands.ts';

/** A registry moves to another engine and back, as its operator sees it. */
const root = mkdtempSync(join(tmpdir(), 'chancery-move-'));
const running: Program[] = [];
after(async () => {
  await Promise.all(running.map((program) => program.stop()));
  rmSync(root, { recursive: true, force: true });
});

const sqliteUrl = (): string => `sqlite:${join(mkdtempSync(join(root, 'p-')), 'chancery.db')}`;

async function at(url: string): Promise<Program> {
  const folder = mkdtempSync(join(root, 'f-'));
  const program = await startProgram({ folder, environment: { CHANCERY_STORAGE_URL: url } });
  running.push(program);
  return program;
}

const copy = async (from: string, to: string, ...more: readonly string[]): Promise<Ended> =>
  await chancery(['storage', 'copy', '--from', from, '--to', to, ...more], {});

async function copied(from: string, to: string): Promise<readonly Members[]> {
  const { how, stdout, stderr } = await copy(from, to, '--final', '--json');
  assert.equal(how, 0, stderr);
  assert.match(stderr, /rows compared in/);
  const [report = {}] = jsonLines(stdout);
  assert.equal(report['finished'], true);
  return report['tables'] as readonly Members[];
}

test('a registry in use moves to PostgreSQL and back to SQLite: everything that was issued works in both places', async () => {
  const [from, there, back] = [sqliteUrl(), await migratedDatabase(), sqliteUrl()];
  const first = await at(from);
  const world = await movedWorld(first, from);
  const tenant = await chancery(['tenants', 'create', 'acme', '--issuer', 'https://op.example.com/acme'], {
    CHANCERY_ISSUER: first.issuer,
    CHANCERY_STORAGE_URL: from,
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  });
  assert.equal(tenant.how, 0, tenant.stderr);
  const live = await copy(from, there);
  assert.equal(live.how, 0, live.stderr);
  assert.match(live.stdout, /not finished: .* --final/s);
  await world.goOn();
  await assert.rejects(at(there), /unfinished copy of another one/);
  await first.stop();
  const tables = await copied(from, there);
  const again = await copied(there, back);
  const digests = (report: readonly Members[]) =>
    report.map(({ table, rows, digest }) => ({ table, rows, digest }));
  assert.deepEqual(digests(again), digests(tables));
  for (const name of ['client', 'consent', 'session', 'interaction', 'authorization_grant', 'tenant']) {
    assert.ok(Number(tables.find(({ table }) => table === name)?.['rows']) > 0, name);
  }
  for (const url of [there, back]) {
    const program = await at(url);
    world.moveTo(program);
    await world.check(url);
    await program.stop();
  }
  const repeated = await copy(from, there);
  assert.equal(repeated.how, 1);
  assert.match(repeated.stderr, /finished copy/);
});

test('a copy that was killed again and again goes on; what it says of a wrong call', async () => {
  const [from, to] = [sqliteUrl(), await migratedDatabase()];
  const program = await at(from);
  await register(program);
  await program.stop();
  const storage = await storageAt(from);
  const { clients } = storage.forTenant(TENANT);
  for (let batch = 0; batch < 10; batch += 1) {
    await Promise.all(times(300, () => clients.create(aClient(), OPEN)));
  }
  await storage.close();
  let killed = 0;
  for (let round = 0; round < 5; round += 1) killed += (await killedCopy(from, to)) ? 1 : 0;
  assert.ok(killed > 0, 'no copy was under way when it was to be killed');
  const tables = await copied(from, to);
  assert.equal(tables.find(({ table }) => table === 'client')?.['rows'], 3001);
  const started = await at(to);
  await started.stop();
  const back = sqliteUrl();
  let killedBack = 0;
  for (let round = 0; round < 2; round += 1) killedBack += (await killedCopy(to, back)) ? 1 : 0;
  assert.ok(killedBack > 0, 'no copy back was under way when it was to be killed');
  const returned = await copied(to, back);
  assert.equal(returned.find(({ table }) => table === 'client')?.['rows'], 3001);
  assert.deepEqual(
    returned.find(({ table }) => table === 'client')?.['digest'],
    tables.find(({ table }) => table === 'client')?.['digest'],
  );

  for (const [words, line] of [
    [[], /--from is missing/],
    [['--from', 'mysql://x', '--to', to], /--from must be sqlite:PATH/],
    [['--from', to, '--to', to], /the same database/],
  ] as const) {
    const { how, stderr } = await chancery(['storage', 'copy', ...words], {});
    assert.deepEqual([how, line.test(stderr)], [2, true], stderr);
  }
  const absent = await copy(`sqlite:${join(root, 'absent.db')}`, sqliteUrl());
  assert.deepEqual([absent.how, /no registry at --from/.test(absent.stderr)], [1, true], absent.stderr);
});

/** Kills a copy as soon as it has brought something. @returns whether it was killed before it ended */
async function killedCopy(from: string, to: string): Promise<boolean> {
  const before = await clientsIn(to);
  const words = [PROGRAM, 'storage', 'copy', '--from', from, '--to', to];
  const child = endedWithTests(spawn(process.execPath, words, { stdio: 'ignore' }));
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  while (child.exitCode === null && (await clientsIn(to)) === before) await sleep(1);
  child.kill('SIGKILL');
  return (await ended)[1] === 'SIGKILL';
}

async function clientsIn(url: string): Promise<number> {
  const count = 'SELECT count(*) AS clients FROM client';
  if (url.startsWith('sqlite:')) return clientsInFile(url.slice('sqlite:'.length), count);
  const { port, pathname } = new URL(url);
  const [row] = await administer(Number(port), pathname.slice(1), count);
  return Number(row?.['clients']);
}

/** None where the copy has not made the file yet. */
function clientsInFile(path: string, count: string): number {
  if (!existsSync(path)) return 0;
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return Number(database.prepare(count).get()?.['clients']);
  } finally {
    database.close();
  }
}
