import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Storage, StorageUnavailable } from '../../src/ports/storage.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { aClient, OPEN, TENANT, times } from '../../src/testing/storage/stored-examples.ts';

/** The fate of the registrations that were in the log when the server was killed. */
export interface LogDamage {
  readonly fault: string;
  readonly tried: number;
  /** The server refused to start, in one line. */
  readonly refused: number;
  /** It started, and every acknowledged registration was there. */
  readonly complete: number;
  /** It started without a word, and registrations were missing. */
  readonly shortened: number;
  /** Registrations that were there although those before them were not, or in part; and other kinds of errors. */
  readonly wild: readonly string[];
}

const REGISTRATIONS = 60;

/** F8, the log of the database: the files as a `kill -9` leaves them, and then one of them removed or changed. `flips` of each kind. */
export async function damagedLogDrill(
  flips: number,
  random: (below: number) => number,
): Promise<readonly LogDamage[]> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-log-'));
  try {
    const crashed = await crash(folder);
    const results: LogDamage[] = [];
    for (const [fault, tried, damage] of faults(flips, random)) {
      const tally = { refused: 0, complete: 0, shortened: 0, wild: [] as string[] };
      for (let round = 0; round < tried; round += 1) {
        const path = join(folder, 'damaged.db');
        for (const suffix of ['', '-wal', '-shm'])
          copyFileSync(`${crashed.path}${suffix}`, `${path}${suffix}`);
        damage(path);
        await start(path, crashed.acknowledged, tally);
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
      }
      results.push({ fault, tried, ...tally });
    }
    return results;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Crashed {
  readonly path: string;
  /** In the order of their acknowledgement. */
  readonly acknowledged: readonly ReturnType<typeof aClient>[];
}

/** The three files as they are while everything acknowledged is in the log: what a process that is killed leaves. */
async function crash(folder: string): Promise<Crashed> {
  const living = join(folder, 'living.db');
  const path = join(folder, 'crashed.db');
  const storage = await openSqliteStorage(living, { writer: 'main' });
  const acknowledged = times(REGISTRATIONS, () => aClient());
  for (const client of acknowledged) await storage.forTenant(TENANT).clients.create(client, OPEN);
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(`${living}${suffix}`, `${path}${suffix}`);
  await storage.close();
  return { path, acknowledged };
}

type Fault = readonly [fault: string, tried: number, damage: (path: string) => void];

const WAL_HEADER_BYTES = 32;

function faults(flips: number, random: (below: number) => number): readonly Fault[] {
  const changeLog = (change: (log: Buffer) => Buffer) => (path: string) =>
    writeFileSync(`${path}-wal`, change(readFileSync(`${path}-wal`)));
  const remove =
    (...suffixes: readonly string[]) =>
    (path: string) => {
      for (const suffix of suffixes) rmSync(`${path}${suffix}`);
    };
  return [
    ['nothing but the crash', 1, () => undefined],
    ['-shm removed', 1, remove('-shm')],
    ['-shm of zeros', 1, (path) => writeFileSync(`${path}-shm`, Buffer.alloc(32_768))],
    ['-wal removed', 1, remove('-wal')],
    ['-wal and -shm removed', 1, remove('-wal', '-shm')],
    ['-wal cut short', flips, changeLog((log) => log.subarray(0, random(log.length)))],
    [
      'a byte of the -wal',
      flips,
      changeLog((log) => {
        const at = WAL_HEADER_BYTES + random(log.length - WAL_HEADER_BYTES);
        log[at] = (log[at] ?? 0) ^ (1 + random(255));
        return log;
      }),
    ],
  ];
}

interface Tally {
  refused: number;
  complete: number;
  shortened: number;
  readonly wild: string[];
}

async function start(path: string, acknowledged: Crashed['acknowledged'], tally: Tally): Promise<void> {
  let storage: Storage;
  try {
    storage = await openSqliteStorage(path, { writer: 'main' });
  } catch (error) {
    if (error instanceof StorageUnavailable && !error.message.includes('\n')) tally.refused += 1;
    else tally.wild.push(String(error));
    return;
  }
  const { clients } = storage.forTenant(TENANT);
  const found: boolean[] = [];
  for (const { client_id } of acknowledged) found.push((await clients.find(client_id)) !== undefined);
  await storage.close();
  const firstGone = found.indexOf(false);
  if (firstGone === -1) tally.complete += 1;
  else if (found.indexOf(true, firstGone) === -1) tally.shortened += 1;
  else tally.wild.push('registrations are there, and earlier ones are not');
  if (existsSync(`${path}-wal`)) tally.wild.push('the log stayed');
}
