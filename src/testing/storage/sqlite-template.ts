import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { openSqliteStorage } from '../../storage/sqlite/open.ts';

const folder = mkdtempSync(join(tmpdir(), 'chancery-template-'));
after(() => rmSync(folder, { recursive: true }));
let made: Promise<string> | undefined;

async function make(): Promise<string> {
  const file = join(folder, 'empty.sqlite');
  const storage = await openSqliteStorage(file, { writer: 'main' });
  await storage.close();
  return file;
}

/**
 * Puts an empty database with the present schema at `path`. It is a copy of one that the migrations made, once in this
 * process: to migrate a new file takes longer than most tests that use it.
 */
export async function placeEmptyDatabase(path: string): Promise<void> {
  made ??= make();
  copyFileSync(await made, path);
}
