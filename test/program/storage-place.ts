import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../../src/ports/storage.ts';
import { openPostgresSchema } from '../../src/storage/postgres/postgres-schema.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open.ts';
import { emptyDatabase, openTestDatabase } from '../../src/testing/postgres/database.ts';

/** Names the engine of the started programs: `sqlite` unless set, or `postgres`. The hostile tests run on both (I8). */
export const ENGINE_VARIABLE = 'CHANCERY_TEST_ENGINE';

const isPostgres = (): boolean => process.env[ENGINE_VARIABLE] === 'postgres';

/** The `storage.url` of the program whose folder this is: the same each time. */
export async function storageUrl(folder: string): Promise<string> {
  if (!isPostgres()) return `sqlite:${join(folder, 'chancery.db')}`;
  mkdirSync(folder, { recursive: true });
  const note = join(folder, 'storage-url');
  if (!existsSync(note)) writeFileSync(note, await migratedDatabase(), { mode: 0o600 });
  return readFileSync(note, 'utf8');
}

/** Where a program in development keeps its own files, if `folder` is its working directory. */
export function developmentFolder(folder: string): string {
  return isPostgres() ? join(folder, 'data') : folder;
}

/** The data of the program whose folder this is, beside the program. */
export async function openProgramStorage(folder: string): Promise<Storage> {
  return await storageAt(await storageUrl(folder));
}

/** The data at a `storage.url`, beside the programs that use it. */
export async function storageAt(url: string): Promise<Storage> {
  return url.startsWith('sqlite:')
    ? await openSqliteStorage(url.slice('sqlite:'.length), { check: false })
    : await openTestDatabase(url);
}

/** The URL of an empty PostgreSQL database with a schema, as an operator would have made it. */
export async function migratedDatabase(): Promise<string> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 2000);
  await schema.up(0);
  await schema.close();
  return url;
}
