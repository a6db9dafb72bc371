import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { call, type Registration, register, SERVICE } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';
import { inject, noInjection } from './io-injection.ts';

const CLIENTS = 60;
const PAGE_BYTES = 4096;
/** The first byte of a leaf page of a table (SQLite File Format §1.6). */
const TABLE_LEAF = 13;
/** Few records stay in memory, so each request reads the file. */
const CACHES = { CHANCERY_CACHE_CLIENTS: '2' };
const skip = process.platform === 'linux' ? false : 'strace, /proc and SO_REUSEPORT as Linux has them';

let program: Program | undefined;

beforeEach(() => {
  program = undefined;
});

afterEach(async () => {
  await program?.stop();
});

async function startWithClients(workers: number): Promise<readonly [Program, readonly Registration[]]> {
  const running = (program = await startProgram({
    environment: { ...CACHES, CHANCERY_WORKERS: String(workers) },
  }));
  const clients: Registration[] = [];
  for (let index = 0; index < CLIENTS; index += 1) clients.push(await register(running, SERVICE));
  return [running, clients];
}

/** Reads each client on a connection of its own, so that all workers take part. */
async function statuses(running: Program, clients: readonly Registration[]): Promise<readonly number[]> {
  const answers: number[] = [];
  for (const { client_id, registration_access_token: bearer } of clients) {
    const headers = { connection: 'close' };
    answers.push(
      (await call(running, { method: 'GET', path: `/clients/${client_id}`, bearer, headers })).status,
    );
  }
  return answers;
}

const failed = (answers: readonly number[]): number => answers.filter((status) => status === 500).length;

/** Moves everything from the log to the file, so that damage of the file is seen. */
function databaseOf({ folder }: Program): string {
  const path = join(folder, 'chancery.db');
  const database = new DatabaseSync(path);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  return path;
}

function damageTables(path: string): void {
  const content = readFileSync(path);
  const file = openSync(path, 'r+');
  for (let at = PAGE_BYTES; at < content.length; at += PAGE_BYTES) {
    if (content[at] === TABLE_LEAF) writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, at);
  }
  closeSync(file);
}

/** The server lives and answers what does not need the file: liveness, keys and its metadata. */
async function assertAlive(running: Program): Promise<void> {
  assert.equal((await fetch(`${running.managementUrl}/health/live`)).status, 200);
  const path = '/.well-known/openid-configuration';
  assert.equal((await call(running, { method: 'GET', path })).status, 200);
  assert.doesNotMatch(running.output(), /a worker died|was not handled/u);
}

const readiness = async ({ managementUrl }: Program): Promise<number> =>
  (await fetch(`${managementUrl}/health/ready`)).status;

const injectionSkip = skip === false ? (noInjection() ?? false) : skip;

test('one read fails once (EIO): one request is 500, logged with its place and counted; the server answers all others (F33)', {
  skip: injectionSkip,
}, async () => {
  const [running, clients] = await startWithClients(1);
  let answers: readonly number[] = [];
  const injected = await inject(running, running.folder, ['pread64:error=EIO:when=1'], async () => {
    answers = await statuses(running, clients);
  });
  assert.equal(injected, 1);
  assert.equal(failed(answers), 1, answers.join(' '));
  assert.equal(answers.filter((status) => status === 200).length, CLIENTS - 1);
  await running.printed(
    /"endpoint":"client-read","status":500,.*"stack":"[^"]*\/(?:storage\/sqlite|program)\/.*"errcode":\d+/u,
  );
  const metrics = await (await fetch(`${running.managementUrl}/metrics`)).text();
  assert.match(metrics, /^chancery_http_requests_total\{endpoint="client-read",status="500"\} 1$/mu);
  assert.equal(await readiness(running), 200, 'one failure is no state');
  await assertAlive(running);
});

test('every read fails (EIO): readiness is 503 and names the failed reads; the server lives and recovers (F33)', {
  skip: injectionSkip,
}, async () => {
  const [running, clients] = await startWithClients(1);
  await inject(running, running.folder, ['pread64:error=EIO'], async () => {
    assert.ok(failed(await statuses(running, clients)) >= 5);
    assert.equal(await readiness(running), 503);
  });
  await running.printed(/cannot be read: \d+ of \d+ reads failed/u);
  assert.deepEqual(new Set(await statuses(running, clients)), new Set([200]));
  await assertAlive(running);
});

for (const workers of [1, 2]) {
  test(`damaged pages cost the requests that need them, ${workers} worker(s): 500, and no process ends (F33)`, {
    skip,
  }, async () => {
    const [running, clients] = await startWithClients(workers);
    damageTables(databaseOf(running));
    assert.equal(failed(await statuses(running, clients)), CLIENTS);
    assert.equal(await readiness(running), 503);
    await assertAlive(running);
  });

  test(`a file that is cut while the server reads it costs requests, ${workers} worker(s), and no process ends (F33)`, {
    skip,
  }, async () => {
    const [running, clients] = await startWithClients(workers);
    const path = databaseOf(running);
    assert.equal(failed(await statuses(running, clients.slice(0, 8))), 0);
    truncateSync(path, 2 * PAGE_BYTES);
    assert.ok(failed(await statuses(running, clients)) > CLIENTS / 2);
    assert.equal(await readiness(running), 503);
    await assertAlive(running);
  });
}
