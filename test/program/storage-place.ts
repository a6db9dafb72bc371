import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgresSchema } from '../../src/storage/postgres/postgres-schema.ts';
import { emptyDatabase } from '../../src/storage/postgres/test-database.ts';

/** Which engine the started programs use: `sqlite` where it is not set, or `postgres`. */
export const ENGINE_VARIABLE = 'CHANCERY_TEST_ENGINE';

/** The `storage.url` of the program whose folder this is: the same each time. */
export async function storageUrl(folder: string): Promise<string> {
  if (process.env[ENGINE_VARIABLE] !== 'postgres') return `sqlite:${join(folder, 'chancery.db')}`;
  const note = join(folder, 'storage-url');
  if (!existsSync(note)) writeFileSync(note, await postgresUrl());
  return readFileSync(note, 'utf8');
}

/** An empty database with a schema, as an operator would have made it. */
async function postgresUrl(): Promise<string> {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, 2000);
  await schema.up(0);
  await schema.close();
  return url;
}
