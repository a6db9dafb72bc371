import { DatabaseSync } from 'node:sqlite';
import { openTestRows, type TestRows } from '../../src/testing/postgres/rows.ts';
import { storageUrl } from './storage-place.ts';

const PATIENCE_MS = 60_000;

/** The rows of the program whose folder this is, beside the program and past its storage, on either engine. */
export async function openProgramRows(folder: string): Promise<TestRows> {
  const url = await storageUrl(folder);
  if (!url.startsWith('sqlite:')) return await openTestRows(url);
  const database = new DatabaseSync(url.slice('sqlite:'.length), { timeout: PATIENCE_MS });
  return {
    ask: async (sql, ...values) =>
      database.prepare(sql).all(...values) as Awaited<ReturnType<TestRows['ask']>>,
    close: async () => database.close(),
  };
}

/** One statement. */
export async function askProgramRows(
  folder: string,
  sql: string,
  ...values: readonly (string | number)[]
): ReturnType<TestRows['ask']> {
  const rows = await openProgramRows(folder);
  try {
    return await rows.ask(sql, ...values);
  } finally {
    await rows.close();
  }
}
