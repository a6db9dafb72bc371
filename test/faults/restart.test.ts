import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, type Registration, register, SERVICE } from '../journeys/conformance-exchange.ts';
import { launchProgram, type Program, startProgram } from '../program/start.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-restart-'));
after(() => rmSync(root, { recursive: true }));

/** The check reads 1,000 rows at a time and rests in between, so this many take seconds. */
const TOKENS = 400_000;
/** Makes the file larger than what is checked before the start, in a table that the check reads first. */
const LARGE_EVENTS = 80;
const EVENT_BYTES = 1_000_000;
const PAGE_BYTES = 4096;
/** The first byte of a leaf page of a table without rowid (SQLite File Format §1.6). */
const INDEX_LEAF = 10;

interface Crashed {
  readonly folder: string;
  readonly path: string;
  readonly client: Registration;
}

/** Leaves the database of a killed server behind, with this number of tokens. */
async function crashed(tokens: number): Promise<Crashed> {
  const folder = mkdtempSync(join(root, 'r-'));
  const path = join(folder, 'chancery.db');
  const program = await startProgram({ folder });
  const client = await register(program, SERVICE);
  grow(path, tokens);
  program.signal('SIGKILL');
  await program.exited;
  return { folder, path, client };
}

/** Adds large events, and tokens like the one that is there. Moves them to the file, and leaves a log. */
function grow(path: string, tokens: number): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA synchronous = OFF;
    CREATE TEMP TABLE number AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${Math.max(tokens, LARGE_EVENTS)}) SELECT i FROM n;
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
      SELECT 'other', i, 1, 'client.read', 'done', 'test', NULL, 'r', hex(zeroblob(${EVENT_BYTES / 2})) FROM number WHERE i <= ${LARGE_EVENTS};
    INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, introspection)
      SELECT 'other', printf('%010d', i), 4000000000, 'c', 'i', '{}' FROM number WHERE i <= ${tokens};
    PRAGMA wal_checkpoint(TRUNCATE);
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id)
      VALUES ('other', 0, 1, 'client.read', 'done', 'test', NULL, 'r');`);
  database.close();
  assert.ok(statSync(`${path}-wal`).size > 0, 'the server holds the log');
}

interface Ready {
  readonly status: string;
  readonly reason?: string;
  readonly checks: {
    readonly storage: string;
    readonly file?: { readonly state: string; readonly rows?: number };
  };
}

async function readiness({ managementUrl }: Program): Promise<Ready> {
  return (await (await fetch(`${managementUrl}/health/ready`)).json()) as Ready;
}

async function untilChecked(program: Program): Promise<Ready> {
  for (;;) {
    const ready = await readiness(program);
    if (ready.checks.file?.state !== 'running') return ready;
    await sleep(50);
  }
}

test('a restart after a crash serves while the file is checked: liveness, readiness and a token come before the end of the check (F43)', async () => {
  const { folder, client } = await crashed(TOKENS);
  const program = await startProgram({ folder });
  try {
    assert.equal((await readiness(program)).checks.file?.state, 'running');
    assert.equal((await fetch(`${program.managementUrl}/health/live`)).status, 200);
    const basic = [client.client_id, client.client_secret] as const;
    const form = { grant_type: 'client_credentials' };
    const issued = await call(program, { method: 'POST', path: '/token', basic, form });
    assert.equal(issued.status, 200, issued.text);
    const during = await readiness(program);
    assert.equal(during.status, 'ready');
    assert.equal(during.checks.file?.state, 'running', 'everything above came before the end of the check');
    await program.printed(/the database was not closed: it is recovered, and its file is checked/u);
    assert.deepEqual((await untilChecked(program)).checks, {
      storage: 'passed',
      file: { state: 'passed' },
    });
    await program.printed(/the file of the database is sound/u);
  } finally {
    await program.stop();
  }
});

/** Overwrites the second half of a page in which `content` stands, so that only the check looks there. */
function damagePageWith(path: string, content: string): void {
  const file = openSync(path, 'r+');
  try {
    const page = Buffer.alloc(PAGE_BYTES);
    for (let at = PAGE_BYTES; readSync(file, page, 0, PAGE_BYTES, at) === PAGE_BYTES; at += PAGE_BYTES) {
      if (page[0] !== INDEX_LEAF || !page.includes(content)) continue;
      writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, at);
      return;
    }
  } finally {
    closeSync(file);
  }
  assert.fail(`${content} stands in no page`);
}

test('the check after a crash finds a damaged page: readiness is 503, the log names the place, writes of all workers are 503, reads go on (F43)', async () => {
  const { folder, path, client } = await crashed(2000);
  damagePageWith(path, '0000001000');
  const program = await launchProgram({ folder, environment: { CHANCERY_WORKERS: '2' } });
  try {
    // The check may find it before anything asks for the readiness.
    for (const line of [/^chancery serves /mu, /the database is damaged: writes are refused/u])
      await program.printed(line);
    const { status, reason, checks } = await readiness(program);
    assert.equal(status, 'not-ready');
    assert.equal(checks.file?.state, 'damaged');
    assert.match(String(reason), /is damaged \(access_token.*: restore it from a backup/u);
    await program.printed(/"reason":"access_token[^"]*".*the database is damaged: writes are refused/u);
    for (let turn = 0; turn < 4; turn += 1) {
      const headers = { connection: 'close' };
      const bearer = program.masterToken;
      const refused = await call(program, {
        method: 'POST',
        path: '/clients',
        bearer,
        json: SERVICE,
        headers,
      });
      assert.equal(refused.status, 503, refused.text);
      const { client_id, registration_access_token } = client;
      const own = {
        method: 'GET',
        path: `/clients/${client_id}`,
        bearer: registration_access_token,
        headers,
      };
      assert.equal((await call(program, own)).status, 200);
    }
  } finally {
    await program.stop();
  }
});

test('damage of the list of free pages is found before the first write, and the start is refused (F43)', async () => {
  const { folder, path } = await crashed(2000);
  const database = new DatabaseSync(path);
  database.exec(
    "DELETE FROM audit_event WHERE tenant = 'other' AND sequence > 1; PRAGMA wal_checkpoint(TRUNCATE)",
  );
  database.close();
  const file = openSync(path, 'r+');
  // SQLite File Format §1.3: the page of the first trunk of the list stands at offset 32.
  const header = Buffer.alloc(100);
  readSync(file, header, 0, 100, 0);
  writeSync(file, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, (header.readUInt32BE(32) - 1) * PAGE_BYTES);
  closeSync(file);
  await assert.rejects(startProgram({ folder }), /is damaged \(.*[Ff]reelist.*\): restore it from a backup/u);
});
