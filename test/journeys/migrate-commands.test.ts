import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { emptyDatabase } from '../../src/testing/postgres/database.ts';
import { administer } from '../../src/testing/postgres/server.ts';
import { changeSqlite } from '../program/change-sqlite.ts';
import { freePort } from '../program/free-port.ts';
import { ENCRYPTION_KEY } from '../program/start.ts';
import { chancery, type Ended } from './command.ts';

/** `chancery migrate plan | status | up` on both engines: what they print, and how they end. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-migrate-'));
after(() => rmSync(folder, { recursive: true }));

interface Place {
  readonly url: string;
  /** Executes a statement beside every program of ours. */
  change(sql: string): Promise<void>;
}

let files = 0;
async function sqlite(): Promise<Place> {
  files += 1;
  const path = join(folder, `${files}.db`);
  return { url: `sqlite:${path}`, change: async (sql) => changeSqlite(path, sql) };
}

async function postgres(): Promise<Place> {
  const url = await emptyDatabase();
  const { port, pathname } = new URL(url.replace('postgres:', 'http:'));
  return { url, change: async (sql) => void (await administer(Number(port), pathname.slice(1), sql)) };
}

async function migrate(url: string, ...words: readonly string[]): Promise<Ended> {
  return await chancery(['migrate', ...words], settingsOf(url));
}

const settingsOf = (url: string): Readonly<Record<string, string>> => ({
  CHANCERY_ISSUER: 'https://op.example.com',
  CHANCERY_STORAGE_URL: url,
  CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
});

const linesOf = ({ stdout }: Ended): readonly string[] => stdout.trimEnd().split('\n');

for (const [engine, makePlace] of [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const) {
  describe(engine, { concurrency: false }, () => {
    test('an empty database: status 1, the plan, up by two at once, status 0', async () => {
      const { url } = await makePlace();
      const before = await migrate(url, 'status');
      assert.deepEqual([before.how, before.stderr], [1, '']);
      const [head = '', ...pending] = linesOf(before);
      assert.equal(head, `schema version 0, ${pending.length} pending`);
      assert.match(pending[0] ?? '', /^pending: 1 /u);
      const plan = await migrate(url, 'plan');
      assert.equal(plan.how, 0, plan.stderr);
      assert.equal(plan.stdout.match(/^-- \d+ .* \(.*\)$/gmu)?.length, pending.length);
      assert.match(plan.stdout, /CREATE TABLE/u);
      assert.equal((await migrate(url, 'status')).how, 1, 'a plan changes nothing');

      const both = await Promise.all([migrate(url, 'up'), migrate(url, 'up')]);
      for (const { how, stderr } of both) assert.deepEqual([how, stderr], [0, '']);
      const newest = `schema version ${pending.length}`;
      for (const each of both) assert.equal(linesOf(each).at(-1), newest);
      const after = await migrate(url, 'status', '--json');
      assert.equal(after.how, 0, after.stderr);
      const state = JSON.parse(after.stdout) as Record<string, unknown>;
      assert.deepEqual(
        [state['version'], state['program'], state['pending']],
        [pending.length, pending.length, []],
      );
      const again = JSON.parse((await migrate(url, 'up', '--json')).stdout) as unknown;
      assert.deepEqual(again, { version: pending.length, done: [] });
    });

    test('upgrade check: 0 for a current and for an empty database, 1 where old servers must stop first; it changes nothing', async () => {
      const place = await makePlace();
      const check = async (): Promise<readonly [Ended['how'], Record<string, unknown>]> => {
        const { how, stdout, stderr } = await chancery(['upgrade', 'check', '--json'], settingsOf(place.url));
        assert.equal(stderr, '');
        return [how, JSON.parse(stdout) as Record<string, unknown>];
      };
      const [empty, { schema, servers }] = await check();
      assert.deepEqual([empty, schema, servers], [0, 0, 'run-on']);
      assert.equal((await migrate(place.url, 'up')).how, 0);
      const [current, { pending, next }] = await check();
      assert.deepEqual([current, pending, next], [0, [], ['restart the servers, one after the other']]);
      await place.change('DELETE FROM schema_migration WHERE version > 1');
      const [old, report] = await check();
      // The plan says of each step what becomes of older servers.
      const mustStop = /stop the servers/u.test((await migrate(place.url, 'plan')).stdout);
      assert.equal(mustStop, engine === 'SQLite');
      const first = mustStop
        ? 'stop every server of the old version'
        : 'make a backup (chancery backup create)';
      assert.deepEqual(
        [old, report['schema'], report['servers'], (report['next'] as string[])[0]],
        mustStop ? [1, 1, 'stop', first] : [0, 1, 'run-on', first],
      );
      assert.equal((await migrate(place.url, 'status')).how, 1);
    });

    test('a schema of a newer program: refused, unless it says that it suits this one (ADR 24)', async () => {
      const place = await makePlace();
      const { url } = place;
      assert.equal((await migrate(url, 'up')).how, 0);
      const { version } = JSON.parse((await migrate(url, 'status', '--json')).stdout) as { version: number };
      await place.change(
        `INSERT INTO schema_migration (version, name, applied_at) VALUES (${version + 1}, 'tomorrow', 0)`,
      );
      for (const words of [['status'], ['plan'], ['up'], ['status', '--json']]) {
        const refused = await migrate(url, ...words);
        assert.deepEqual([refused.how, refused.stdout], [1, ''], words.join(' '));
        assert.match(refused.stderr, /^chancery migrate \w+: .*start the newer program\n$/u);
      }
      await place.change(
        `INSERT INTO schema_compatibility (version, compatible_from) VALUES (${version + 1}, ${version})`,
      );
      const suits = await migrate(url, 'status');
      assert.equal(suits.how, 0, suits.stderr);
      assert.equal(
        suits.stdout,
        `schema version ${version + 1}, 0 pending; this program knows up to ${version}, which suits it\n`,
      );
      assert.equal((await migrate(url, 'up')).stdout, `schema version ${version + 1}\n`);
    });
  });
}

test('a database that is not there or cannot be read: one line without the password, exit code 1; a wrong call: 2', async () => {
  const password = 'correct-horse-battery';
  const nobody = `postgres://chancery:${password}@127.0.0.1:${await freePort()}/test?sslmode=disable`;
  for (const url of [nobody, `sqlite:${folder}`, `${nobody.split('?')[0]}?sslmode=maybe`]) {
    for (const words of ['status', 'plan', 'up']) {
      const { how, stdout, stderr } = await migrate(url, words);
      assert.deepEqual([how, stdout], [1, ''], `${words} ${url}`);
      assert.match(stderr, /^[^\n]+\n$/u);
      assert.doesNotMatch(stderr, new RegExp(password, 'u'));
    }
  }
  const place = await sqlite();
  for (const words of [['up', '--force'], ['status', '--mode', 'test'], ['down']]) {
    assert.equal((await migrate(place.url, ...words)).how, 2, words.join(' '));
  }
});
