import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { DumpSection, TableDump, TableWriter } from '../ports/table-dump.ts';
import { emptyDatabase, openTestDatabase } from '../testing/postgres/database.ts';
import { fillTables, TENANTS } from '../testing/storage/dump-rows.ts';
import { type CopyOptions, type CopyReport, copyRegistry } from './copy-registry.ts';
import { compareKeys, digestOf } from './copy-table.ts';
import { DUMPED_TABLES, sectionsOf } from './dumped-tables.ts';
import { openPostgresSchema } from './postgres/migrations.ts';
import { postgresTables } from './postgres/table-dump.ts';
import { openSqliteStorage } from './sqlite/open.ts';
import { openSqliteSchema } from './sqlite/sqlite-schema.ts';
import { sqliteTables } from './sqlite/table-dump.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-copy-'));
after(() => rmSync(root, { recursive: true }));

interface Place {
  readonly dump: TableDump;
  /** Starts a server's storage on it. */
  readonly start: () => Promise<{ close(): Promise<void> }>;
}

async function sqlite(): Promise<Place> {
  const path = join(mkdtempSync(join(root, 'p-')), 'registry.sqlite');
  await openSqliteSchema(path).up(1);
  return { dump: sqliteTables(path), start: () => openSqliteStorage(path, { writer: 'main' }) };
}

async function postgres(): Promise<Place> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 20_000);
  await schema.up(1);
  await schema.close();
  return { dump: postgresTables(url), start: () => openTestDatabase(url) };
}

const copy = async (source: TableDump, target: TableDump, options: Partial<CopyOptions> = {}) =>
  await copyRegistry(source, target, { final: false, now: 5, progress: () => undefined, ...options });

async function digests(dump: TableDump): Promise<Readonly<Record<string, unknown>>> {
  const reader = await dump.snapshot();
  try {
    const found: Record<string, unknown> = {};
    for (const table of DUMPED_TABLES) found[table.name] = await digestOf(reader, table, TENANTS);
    return found;
  } finally {
    await reader.close();
  }
}

async function change(dump: TableDump, act: (writer: TableWriter) => Promise<unknown>): Promise<void> {
  const writer = await dump.writer();
  await act(writer);
  await writer.close();
}

function section(name: string, tenant = 'default'): DumpSection {
  const found = DUMPED_TABLES.find((table) => table.name === name);
  assert.ok(found !== undefined);
  return { table: found, tenant };
}

const put = (report: CopyReport): number => report.put;

for (const [from, makeSource] of [
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
] as const) {
  for (const [to, makeTarget] of [
    ['SQLite', sqlite],
    ['PostgreSQL', postgres],
  ] as const) {
    describe(`a registry is copied from ${from} to ${to}`, () => {
      test('every row of every table, and the way back, with the same digests', async () => {
        const [source, target, home] = [await makeSource(), await makeTarget(), await makeSource()];
        await fillTables(source.dump, 'a', 255);
        const expected = await digests(source.dump);
        const report = await copy(source.dump, target.dump, { final: true });
        assert.deepEqual(await digests(target.dump), expected);
        for (const { table, rows } of report.tables) assert.ok(rows > 0, `${table} had rows`);
        // A new schema has its own row of the list of tenants, which made way.
        assert.equal(report.put, report.rows);
        await copy(target.dump, home.dump, { final: true });
        assert.deepEqual(await digests(home.dump), expected);
      });

      if (from === to) return;
      test('what changed meanwhile is brought by the next call, and nothing else is touched', async () => {
        const [source, target] = [await makeSource(), await makeTarget()];
        await fillTables(source.dump, 'a');
        await copy(source.dump, target.dump);
        assert.equal(put(await copy(source.dump, target.dump)), 0);
        await change(source.dump, async (writer) => {
          // Two accounts exchange their names, and a new one takes the name of one that is gone.
          const accounts = section('account');
          const [first = [], second = [], third = []] = await writer.page(accounts, undefined, 3);
          const named = (row: typeof first, sub: unknown, name: unknown): typeof first =>
            row.map((value, index) => (index === 1 ? sub : index === 3 ? name : value)) as typeof first;
          await writer.change(
            accounts,
            [first, second, third].map((row) => row.slice(0, 2)),
            [
              named(first, first[1], second[3]),
              named(second, second[1], first[3]),
              named(third, '\u0001', third[3]),
            ],
          );
          await writer.change(
            section('session', 'z'),
            [['z', (await keysOf(writer, 'session', 'z'))[1] ?? '']],
            [],
          );
        });
        const { put: changed, removed } = await copy(source.dump, target.dump, { final: true });
        assert.ok(changed >= 3 && changed <= 9, `${changed} put`);
        assert.ok(removed >= 4 && removed <= 9, `${removed} removed`);
        assert.deepEqual(await digests(target.dump), await digests(source.dump));
      });

      test('interrupted at twenty points, it goes on where it was, and nothing is there twice', async () => {
        const [source, target] = [await makeSource(), await makeTarget()];
        await fillTables(source.dump, 'a', 20);
        const whole = await digests(source.dump);
        let putInAll = 0;
        for (let interruption = 1; interruption <= 20; interruption += 1) {
          const { dump, done } = breaking(target.dump, 1 + (interruption % 4));
          await assert.rejects(copy(source.dump, dump), /cut/);
          putInAll += done();
        }
        await assert.rejects(target.start(), /unfinished copy/);
        const report = await copy(source.dump, target.dump, { final: true });
        assert.deepEqual(await digests(target.dump), whole);
        assert.ok(putInAll > 0);
        assert.equal(putInAll + report.put, report.rows, 'each row was put once');
      });
    });
  }

  describe(`a copy from or to ${from} is refused`, () => {
    test('where the target holds something else, is finished, or is of another registry', async () => {
      const [source, other, target] = [await makeSource(), await makeSource(), await makeSource()];
      await fillTables(source.dump, 'a');
      await fillTables(other.dump, 'b');
      const before = await digests(other.dump);
      await assert.rejects(copy(source.dump, other.dump), /not empty/);
      assert.deepEqual(await digests(other.dump), before);
      await copy(source.dump, target.dump);
      await assert.rejects(copy(other.dump, target.dump), /of another registry/);
      await assert.rejects(copy(target.dump, (await makeSource()).dump), /unfinished copy itself/);
      await copy(source.dump, target.dump, { final: true });
      await assert.rejects(copy(source.dump, target.dump), /finished copy/);
      await (await target.start()).close();
    });

    test('where no server was ever started on the source', async () => {
      const [source, target] = [await makeSource(), await makeSource()];
      await assert.rejects(copy(source.dump, target.dump), /no server was ever started/);
    });

    test('as the final one, where a server still writes to the source', async () => {
      const [source, target] = [await makeSource(), await makeSource()];
      await fillTables(source.dump, 'a');
      const written = change(source.dump, (writer) =>
        writer.change(section('consent'), [], [['default', 'late', 'c', 'i', '', '{}', '[]', 1, 1]]),
      );
      const late = lateSource(source.dump, () => written);
      await assert.rejects(copy(late, target.dump, { final: true }), /was written to the source .* consent/);
      await assert.rejects(target.start(), /unfinished copy/);
      await copy(source.dump, target.dump, { final: true });
      await (await target.start()).close();
    });
  });
}

/** A snapshot that does not have what was written since; the one after it has. */
function lateSource(dump: TableDump, written: () => Promise<void>): TableDump {
  let snapshots = 0;
  return {
    ...dump,
    async snapshot() {
      snapshots += 1;
      await written();
      const snapshot = await dump.snapshot();
      if (snapshots > 1) return snapshot;
      return {
        ...snapshot,
        page: async (from, behind, limit) =>
          (await snapshot.page(from, behind, limit)).filter((row) => row[1] !== 'late'),
      };
    },
  };
}

/** Breaks at the so manieth write. */
function breaking(dump: TableDump, at: number): { readonly dump: TableDump; readonly done: () => number } {
  let [writes, done] = [0, 0];
  return {
    done: () => done,
    dump: {
      ...dump,
      async writer() {
        const writer = await dump.writer();
        return {
          ...writer,
          async change(...values) {
            writes += 1;
            if (writes === at) throw new Error('cut');
            const changed = await writer.change(...values);
            done += changed;
            return changed;
          },
        };
      },
    },
  };
}

async function keysOf(
  writer: TableWriter,
  name: string,
  tenant: string,
): Promise<readonly (string | number | null)[]> {
  const [row = []] = await writer.page(section(name, tenant), undefined, 1);
  return row;
}

test('texts with a NUL stay in SQLite: they are named before anything is copied, and SQLite takes them', async () => {
  const [source, target, second] = [await sqlite(), await postgres(), await sqlite()];
  await fillTables(source.dump, 'a');
  await change(source.dump, (writer) =>
    writer.change(
      section('consent', 'z'),
      [],
      [['z', 'sub', 'client', 'instance', 'a\0b', '{}', '[]', 1, 1]],
    ),
  );
  await assert.rejects(copy(source.dump, target.dump), /NUL.*consent \["z","sub","client","instance"\]/);
  await change(target.dump, async (writer) => {
    assert.equal(await writer.mark('copy'), undefined);
    for (const table of DUMPED_TABLES.filter(({ name }) => name !== 'tenant_list')) {
      for (const each of sectionsOf(table, TENANTS)) assert.equal(await writer.count(each), 0);
    }
  });
  await copy(source.dump, second.dump, { final: true });
  assert.deepEqual(await digests(second.dump), await digests(source.dump));
});

test('keys are compared as both engines order them: numbers by value, texts by their bytes', () => {
  const inOrder = [
    ['a', 2],
    ['a', 10],
    ['b', 1],
    ['é', 0],
    ['\uff5e', 0],
    ['😀', 0],
  ];
  for (const [index, key] of inOrder.entries()) {
    for (const [place, other] of inOrder.entries()) {
      assert.equal(Math.sign(compareKeys(key, other, 2)), Math.sign(index - place));
    }
  }
  assert.equal(compareKeys(['a', 1], ['a', 2], 1), 0);
});
