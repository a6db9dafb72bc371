import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../../src/ports/storage.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';

/** Names the engine of the started programs: `sqlite` unless set, or `postgres`. The hostile tests run on both (I8). */
export const ENGINE_VARIABLE = 'CHANCERY_TEST_ENGINE';

const isPostgres = (): boolean => process.env[ENGINE_VARIABLE] === 'postgres';

/** Loaded only for that engine: it registers a hook of the test runner, which then prints a summary at the end of a benchmark, too. */
const postgres = isPostgres() ? await import('../../src/testing/postgres/database.ts') : undefined;

/** Returns the `storage.url` of the program in this folder. It is the same each time. */
export async function storageUrl(folder: string): Promise<string> {
  if (postgres === undefined) return `sqlite:${join(folder, 'chancery.db')}`;
  mkdirSync(folder, { recursive: true });
  const note = join(folder, 'storage-url');
  if (!existsSync(note)) writeFileSync(note, await postgres.migratedDatabase(), { mode: 0o600 });
  return readFileSync(note, 'utf8');
}

/** Returns where a program in development keeps its own files, if `folder` is its working directory. */
export function developmentFolder(folder: string): string {
  return isPostgres() ? join(folder, 'data') : folder;
}

/** Opens the data of the program in this folder, beside the program. */
export async function openProgramStorage(folder: string): Promise<Storage> {
  return await storageAt(await storageUrl(folder));
}

/** Opens the data at a `storage.url`, beside the programs that use it. */
export async function storageAt(url: string): Promise<Storage> {
  if (url.startsWith('sqlite:'))
    return await openSqliteStorage(url.slice('sqlite:'.length), { check: false });
  const { openTestDatabase } = await import('../../src/testing/postgres/database.ts');
  return await openTestDatabase(url);
}
