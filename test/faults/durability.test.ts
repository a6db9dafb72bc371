import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { administer, startTestServer } from '../../src/testing/postgres/server.ts';
import { call, type Registration, register, SERVICE } from '../journeys/conformance-exchange.ts';
import { type Program, startProgram } from '../program/start.ts';
import { inject, noInjection } from './io-injection.ts';
import { traceSyncs } from './sync-trace.ts';

const WATCHED = new URL('write-connections.mjs', import.meta.url);
const ONE_BY_ONE = 10;
const AT_ONCE = 200;
const FILLING = 20;

let folder = '';
let program: Program | undefined;

beforeEach(() => {
  program = undefined;
  folder = mkdtempSync(join(tmpdir(), 'chancery-durability-'));
});

afterEach(async () => {
  await program?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const commitsFile = (): string => join(folder, 'commits');
const databaseFile = (): string => join(folder, 'chancery.db');

async function startOnSqlite(): Promise<Program> {
  return (program = await startProgram({
    folder,
    environment: {
      CHANCERY_STORAGE_URL: `sqlite:${databaseFile()}`,
      NODE_OPTIONS: `--import=${WATCHED.href}`,
      TEST_COMMITS_FILE: commitsFile(),
    },
  }));
}

/** Each commit so far, with the pragmas of its connection. */
function commits(): readonly unknown[] {
  if (!existsSync(commitsFile())) return [];
  const lines = readFileSync(commitsFile(), 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as unknown);
}

const registerAtOnce = (running: Program): Promise<readonly Registration[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, () => register(running, SERVICE)));

test('each acknowledged batch was committed by the thread that writes, on a connection in WAL mode with synchronous=FULL (F50)', async () => {
  const running = await startOnSqlite();
  for (let count = 0; count < ONE_BY_ONE; count += 1) {
    const before = commits().length;
    await register(running, SERVICE);
    assert.ok(commits().length > before, 'a registration is answered after its commit');
  }
  const before = commits().length;
  await registerAtOnce(running);
  assert.ok(commits().length - before < AT_ONCE, 'registrations that arrive together share commits');
  for (const commit of commits()) assert.deepEqual(commit, { journal_mode: 'wal', synchronous: 2 });
});

test('the log of the database was fsynced at least once for each acknowledged batch (F50)', {
  skip: noInjection() ?? false,
}, async () => {
  const running = await startOnSqlite();
  const trace = await traceSyncs(running, folder);
  const committedBefore = commits().length;
  for (let count = 0; count < ONE_BY_ONE; count += 1) {
    const before = trace.ofFile('-wal');
    await register(running, SERVICE);
    assert.ok(trace.ofFile('-wal') > before, 'a registration is answered after its fsync');
  }
  await registerAtOnce(running);
  await trace.end();
  const batches = commits().length - committedBefore;
  assert.ok(batches > ONE_BY_ONE, `${batches} batches`);
  assert.ok(
    trace.ofFile('-wal') >= batches,
    `${trace.ofFile('-wal')} fsyncs of the log for ${batches} batches`,
  );
});

test('after an fsync that failed the log is emptied before the next write, and nothing acknowledged is lost (F51)', {
  skip: noInjection() ?? false,
}, async () => {
  const running = await startOnSqlite();
  const known: Registration[] = [];
  for (let count = 0; count < FILLING; count += 1) known.push(await register(running, SERVICE));
  const logBytes = (): number => statSync(`${databaseFile()}-wal`).size;
  const filled = logBytes();
  const statuses: number[] = [];
  const injected = await inject(running, folder, ['fsync:error=EIO:when=1'], async () => {
    while (statuses.length < FILLING && !statuses.some((status) => status >= 500)) {
      const request = { method: 'POST', path: '/clients', bearer: running.masterToken, json: SERVICE };
      const answer = await call(running, request);
      statuses.push(answer.status);
    }
  });
  assert.equal(injected, 1);
  known.push(await register(running, SERVICE));
  assert.ok(
    logBytes() < filled / 2,
    `the log had ${filled} bytes, and has ${logBytes()} after the failure and the next registration`,
  );
  for (const { client_id, registration_access_token: bearer } of known) {
    assert.equal((await call(running, { method: 'GET', path: `/clients/${client_id}`, bearer })).status, 200);
  }
});

test('PostgreSQL with fsync=off: the server warns at its start; with synchronous_commit=off nothing acknowledged dies with PostgreSQL (F52)', async () => {
  // The process that writes the log sleeps for ten seconds, so that only a commit that waits for it survives SIGKILL.
  const settings = { fsync: 'off', synchronous_commit: 'off', wal_writer_delay: '10s' };
  const postgres = await startTestServer({ settings });
  try {
    const url = await postgres.createDatabase();
    const schema = openPostgresSchema(url, 5000);
    await schema.up(0);
    await schema.close();
    await administer(postgres.port, 'postgres', 'CHECKPOINT');
    const running = (program = await startProgram({ folder, environment: { CHANCERY_STORAGE_URL: url } }));
    await running.printed(/"level":"warn".*fsync=off/u);
    assert.doesNotMatch(running.output(), /full_page_writes=off/u);
    const { client_id, registration_access_token: bearer } = await register(running, SERVICE);
    await postgres.kill();
    await postgres.start();
    let status: number;
    do {
      status = (await call(running, { method: 'GET', path: `/clients/${client_id}`, bearer })).status;
    } while (status >= 500);
    assert.equal(status, 200);
  } finally {
    await program?.stop();
    await postgres.stop();
  }
});
