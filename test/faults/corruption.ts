import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageUnavailable } from '../../src/ports/storage.ts';
import { checkTables } from '../../src/storage/check-tables.ts';
import { sqliteDamage } from '../../src/storage/sqlite/database-file.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { sqliteTables } from '../../src/storage/sqlite/table-dump.ts';
import { aClient, aToken, OPEN, TENANT, times } from '../../src/testing/storage/stored-examples.ts';

/** How often the start, and how often a check, noticed a fault. */
export interface Detection {
  readonly fault: string;
  readonly tried: number;
  /** The server refused to start, in one line. */
  readonly start: number;
  /** `chancery storage check` found it, or the start did. */
  readonly check: number;
  /** Anything but an answer in one line: a crash, or another kind of error. */
  readonly wild: readonly string[];
}

const PAGE_BYTES = 4096;
/** SQLite File Format §1.6 */
const PAGE_TYPES: Readonly<Record<number, string>> = {
  2: 'interior page of an index',
  5: 'interior page of a table',
  10: 'leaf page of an index',
  13: 'leaf page of a table',
};
const BYTES_FLIPPED = 16;

/** F8: bytes flipped by kind of page, a file cut short, a wrong file. `flips` of each kind. */
export async function corruptionDrill(
  flips: number,
  random: (below: number) => number,
): Promise<readonly Detection[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-corruption-'));
  try {
    const sound = join(folder, 'sound.db');
    await fill(sound);
    const intact = readFileSync(sound);
    const results: Detection[] = [];
    for (const [fault, damaged] of faultsOf(intact, flips, random)) {
      results.push(await drill(fault, damaged, join(folder, 'damaged.db')));
    }
    copyFileSync(sound, join(folder, 'control.db'));
    results.push(await drill('none', [intact], join(folder, 'control.db')));
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(path: string): Promise<void> {
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { clients, accessTokens } = storage.forTenant(TENANT);
  const long = JSON.stringify({ text: 'x'.repeat(9000) });
  await Promise.all(
    times(300, (index) => clients.create(aClient(index % 20 === 0 ? { data: long } : {}), OPEN)),
  );
  await Promise.all(times(300, () => accessTokens.issue(aToken())));
  await storage.close();
}

function* faultsOf(
  intact: Buffer,
  flips: number,
  random: (below: number) => number,
): Generator<readonly [string, readonly Buffer[]]> {
  const byType = Map.groupBy(
    times(intact.length / PAGE_BYTES - 1, (index) => index + 1),
    (page) => PAGE_TYPES[intact[page * PAGE_BYTES] ?? 0] ?? 'overflow page',
  );
  // Unused bytes may have any value.
  const used = (page: number): readonly number[] => usedBytes(intact.subarray(...pageAt(page)));
  yield ['header of the file', times(flips, () => flipped(intact, random(100), 1, random))];
  for (const [type, pages] of byType) {
    const places = times(flips, () => {
      const page = pages[random(pages.length)] ?? 0;
      const among = used(page);
      return page * PAGE_BYTES + Math.min(among[random(among.length)] ?? 0, PAGE_BYTES - BYTES_FLIPPED);
    });
    yield [type, places.map((at) => flipped(intact, at, BYTES_FLIPPED, random))];
  }
  yield [
    'a page of zeros',
    times(flips, () => Buffer.from(intact).fill(0, ...pageAt(random(intact.length / PAGE_BYTES)))),
  ];
  yield ['cut short', times(flips, () => intact.subarray(0, random(intact.length)))];
  yield [
    'another file',
    [Buffer.alloc(0), Buffer.from('client_id,secret\n'.repeat(900)), Buffer.alloc(9000)],
  ];
}

/** SQLite File Format §1.6: header and pointers of the cells at the beginning, the cells at the end. */
function usedBytes(page: Buffer): readonly number[] {
  const headerBytes = { 2: 12, 5: 12, 10: 8, 13: 8 }[page[0] ?? 0];
  if (headerBytes === undefined) return times(PAGE_BYTES, (index) => index);
  const pointersEnd = headerBytes + 2 * page.readUInt16BE(3);
  const cellsBegin = page.readUInt16BE(5);
  return [
    ...times(pointersEnd, (index) => index),
    ...times(PAGE_BYTES - cellsBegin, (index) => cellsBegin + index),
  ];
}

const pageAt = (page: number): [number, number] => [page * PAGE_BYTES, (page + 1) * PAGE_BYTES];

function flipped(intact: Buffer, at: number, bytes: number, random: (below: number) => number): Buffer {
  const damaged = Buffer.from(intact);
  for (let index = at; index < at + bytes; index += 1)
    damaged[index] = (damaged[index] ?? 0) ^ (1 + random(255));
  return damaged;
}

async function drill(fault: string, damaged: readonly Buffer[], path: string): Promise<Detection> {
  let [start, check] = [0, 0];
  const wild: string[] = [];
  for (const bytes of damaged) {
    for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
    writeFileSync(path, bytes);
    const refused = await isRefused(wild, async () => {
      const storage = await openSqliteStorage(path, { writer: 'main' });
      await storage.close();
      return false;
    });
    writeFileSync(path, bytes);
    const found = await isRefused(wild, async () => {
      if (sqliteDamage(path).length > 0) return true;
      const reader = await sqliteTables(path).snapshot();
      try {
        return (await checkTables(reader)).findings.length > 0;
      } finally {
        await reader.close();
      }
    });
    if (refused) start += 1;
    if (refused || found) check += 1;
  }
  return { fault, tried: damaged.length, start, check, wild };
}

async function isRefused(wild: string[], act: () => Promise<boolean>): Promise<boolean> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof StorageUnavailable) || error.message.includes('\n')) wild.push(String(error));
    return true;
  }
}
