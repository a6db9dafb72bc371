import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Sealed } from '../../src/spec/identifiers.ts';
import { DEFAULT_TENANT } from '../../src/spec/identifiers.ts';
import { openPostgresSchema } from '../../src/storage/postgres/migrations.ts';
import { emptyDatabase } from '../../src/testing/postgres/database.ts';
import { masterToken as randomMasterToken } from '../program/master-token.ts';
import { converse } from '../program/raw-socket.ts';
import { ENCRYPTION_KEY, type Program, sha256, startProgram } from '../program/start.ts';
import { storageAt } from '../program/storage-place.ts';
import { chancery, type Ended } from './command.ts';
import { call, SERVICE } from './conformance-exchange.ts';

/** The rings of the scenario: the key that all nodes have, and the one that a rotation brings. */
const OLD = ENCRYPTION_KEY;
const NEW = randomBytes(32).toString('hex');
const BOTH = `${NEW},${OLD}`;
const OLD_FIRST = `${OLD},${NEW}`;

const sqlite = async (folder: string): Promise<string> =>
  await Promise.resolve(`sqlite:${join(folder, 'chancery.db')}`);

async function postgres(): Promise<string> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 5000);
  await schema.up(0);
  await schema.close();
  return url;
}

describe('SQLite', { concurrency: false }, () => {
  const scenario = slippedRotation(sqlite, []);
  deletedBefore(scenario);
  incompleteExport(scenario);
});
describe('PostgreSQL', { concurrency: false }, () => {
  const scenario = slippedRotation(postgres, ['--workers', '2']);
  lateServer(scenario);
});

interface Scenario {
  readonly folder: string;
  readonly storageUrl: () => string;
  readonly start: (ring: string) => Promise<Program>;
  readonly run: (words: readonly string[], ring?: string) => Promise<Ended>;
  /** A client that was deleted before the rotation. */
  readonly gone: () => { readonly client_id: string; readonly client_secret: string };
}

/**
 * An operator rotates the encryption key before the servers know the new one.
 * @param parameters of one of the two servers
 */
function slippedRotation(
  place: (folder: string) => Promise<string>,
  parameters: readonly string[],
): Scenario {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-ring-'));
  const masterToken = randomMasterToken();
  const started: Program[] = [];
  let environment: Readonly<Record<string, string>> = {};
  let [first, second]: Program[] = [];
  let gone = { client_id: '', client_secret: '' };

  before(async () => {
    environment = {
      CHANCERY_ISSUER: 'https://op.example.com',
      CHANCERY_STORAGE_URL: await place(folder),
      CHANCERY_STORAGE_PROCESS_INTERVAL: '1',
      CHANCERY_REGISTRATION_MASTER_TOKEN_SHA256: sha256(masterToken),
    };
    first = await start(OLD, parameters);
    second = await start(OLD);
    for (let count = 0; count < 3; count += 1) assert.equal((await register(second)).status, 200);
    const last = JSON.parse((await register(second)).text) as Readonly<Record<string, string>>;
    gone = { client_id: last['client_id'] ?? '', client_secret: last['client_secret'] ?? '' };
    assert.equal((await run(['clients', 'delete', gone.client_id], OLD)).how, 0);
  });

  after(async () => {
    await Promise.all(started.map(async (program) => await program.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(ring: string, words: readonly string[] = []): Promise<Program> {
    const program = await startProgram({
      folder,
      parameters: words,
      environment: { ...environment, CHANCERY_ENCRYPTION_KEY: ring },
    });
    started.push(program);
    return program;
  }

  const theOld = (): readonly Program[] =>
    [first, second].map((program) => program ?? assert.fail('not started'));

  const run = async (words: readonly string[], ring = BOTH): Promise<Ended> =>
    await chancery(words, { ...environment, CHANCERY_ENCRYPTION_KEY: ring });

  const rotate = async (...options: readonly string[]): Promise<Ended> =>
    await run(['keys', 'encryption', 'rotate', ...options]);

  const register = async (program: Program): Promise<Awaited<ReturnType<typeof call>>> =>
    await call(program, { method: 'POST', path: '/clients', bearer: masterToken, json: SERVICE });

  const readiness = async (program: Program): Promise<readonly [number, Record<string, unknown>]> => {
    const answer = await fetch(`${program.managementUrl}/health/ready`);
    return [answer.status, (await answer.json()) as Record<string, unknown>];
  };

  test('H-282: a rotation changes nothing while running processes lack the first key, and names them', async () => {
    const refused = await rotate();
    assert.equal(refused.how, 1, refused.stdout);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /nothing has changed: .*the first key is not in the ring there/);
    assert.match(refused.stderr, new RegExp(`:${second?.pid}\\b`));
    const names = refused.stderr.match(/[^ ,]+:\d+(?=[, ])/g) ?? [];
    assert.equal(new Set(names).size, parameters.length === 0 ? 2 : 3, refused.stderr);
    for (const program of theOld()) assert.equal((await readiness(program))[0], 200);
  });

  test('H-283: a process whose ring does not open the database is not ready, says why, and stores nothing', async () => {
    const forced = await rotate('--despite-servers');
    assert.equal(forced.how, 1, forced.stderr);
    assert.match(
      forced.stdout,
      /^sealed with the first key: \d+ server keys, 3 clients, \d+ former versions of clients; keep the other keys: /,
    );
    assert.doesNotMatch(forced.stdout, /can be removed/);
    for (const program of theOld()) {
      assert.deepEqual(await readiness(program), [
        503,
        {
          status: 'not-ready',
          checks: { storage: 'passed', 'encryption-key': 'failed' },
          reason: 'encryption.key does not open what the database holds: it was sealed with another key',
        },
      ]);
      assert.equal((await register(program)).status, 503);
      await program.printed(/encryption\.key does not open the database: this process is not ready/);
      const metrics = await (await fetch(`${program.managementUrl}/metrics`)).text();
      const values = [...metrics.matchAll(/^chancery_encryption_key_opens_database\S* (\d)$/gm)];
      assert.equal(values.length, program === first && parameters.length > 0 ? 2 : 1);
      for (const [line, value] of values) assert.equal(value, '0', line);
    }
  });

  test('H-284: a list that lacks clients ends broken and says how many, as a whole and in pages', async () => {
    for (const query of ['', '?limit=2']) {
      const head = `GET /clients${query} HTTP/1.1\r\nHost: h.test\r\nAuthorization: Bearer ${masterToken}\r\n\r\n`;
      const program = second ?? assert.fail('not started');
      const { text, closed } = await converse(program, [head], { until: 'closed' });
      assert.match(text, /^HTTP\/1\.1 200 /);
      const missing = query === '' ? 3 : 2;
      assert.match(text, new RegExp(`\\nINCOMPLETE: ${missing} clients cannot be read`));
      assert.ok(closed && !text.endsWith('\r\n0\r\n\r\n'), 'the last chunk never comes');
    }
  });

  test('H-282: processes that have stopped are not asked; the other keys can be removed when all others confirm', async () => {
    const third = await start(BOTH);
    assert.equal((await register(third)).status, 200);
    await first?.stop();
    await second?.stop();
    const rotated = await rotate();
    assert.deepEqual({ how: rotated.how, stderr: rotated.stderr }, { how: 0, stderr: '' });
    const all = new RegExp(`ring \\([^, ]+:${third.pid}\\): the other keys can be removed\\n$`);
    assert.match(rotated.stdout, all);
    const listed = await call(third, { method: 'GET', path: '/clients', bearer: masterToken });
    assert.equal((JSON.parse(listed.text) as unknown[]).length, 4);
  });

  const storageUrl = (): string => environment['CHANCERY_STORAGE_URL'] ?? '';
  return { folder, storageUrl, start, run, gone: () => gone };
}

function lateServer({ start, run }: Scenario): void {
  test('H-282: a server that knows both keys but seals with the old one is named, and the old key must stay', async () => {
    const late = await start(OLD_FIRST);
    const rotated = await run(['keys', 'encryption', 'rotate']);
    assert.equal(rotated.how, 1, rotated.stderr);
    assert.match(rotated.stdout, new RegExp(`keep the other keys: [^, ]+:${late.pid} did not confirm`));
    assert.doesNotMatch(rotated.stdout, /can be removed/);
  });
}

function deletedBefore({ run, gone }: Scenario): void {
  test('H-528: a client that was deleted before the rotation comes back with its secret, by the new key alone', async () => {
    // Nothing is left to do after the rotations above; alone, this is the rotation.
    await run(['keys', 'encryption', 'rotate', '--despite-servers']);
    const { client_id, client_secret } = gone();
    const restored = await run(['clients', 'restore', client_id, '--with-secrets', '--json'], NEW);
    assert.equal(restored.how, 0, restored.stderr);
    assert.equal(
      (JSON.parse(restored.stdout) as Readonly<Record<string, string>>)['client_secret'],
      client_secret,
    );
    assert.equal((await run(['clients', 'delete', client_id, '--purge'], NEW)).how, 0);
  });
}

function incompleteExport({ folder, storageUrl, run }: Scenario): void {
  test('H-285: an export that lacks a client ends with 1, says how many, and no import takes it for complete', async () => {
    const storage = await storageAt(storageUrl());
    const { clients } = storage.forTenant(DEFAULT_TENANT);
    const [damaged] = await clients.page(undefined, 1);
    assert.ok(damaged !== undefined);
    await clients.replace({ ...damaged, registration_token_sealed: 'x.y' as Sealed }, damaged.version);
    await storage.close();
    const out = join(folder, 'clients.jsonl');
    const exported = await run(['clients', 'export', '--out', out], NEW);
    assert.equal(exported.how, 1);
    assert.match(exported.stderr, /^.*1 clients could not be decrypted and are not in the export/m);
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 5);
    assert.equal(lines.at(-1), 'INCOMPLETE: 1 clients could not be decrypted');
    const imported = await run(['clients', 'import', out], NEW);
    assert.equal(imported.how, 1);
    assert.match(imported.stderr, /line 5: /);
    assert.match(imported.stdout, /3 unchanged, 1 refused/);
  });
}
