import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram } from '../program/start.ts';
import { type Production, production } from './production.ts';
import { assertOneLine, attemptAt } from './start-attempts.ts';

/** Starting on an SQLite file that is not as it should be, whichever engine the other tests run on. */
let site: Production;

beforeEach(async () => {
  site = await production();
});

afterEach(() => site.remove());

test('start, data folder that cannot be written: one line that names it, exit code 1', async () => {
  // Root may write everywhere but below a regular file.
  const file = join(site.folder, 'file');
  writeFileSync(file, '');
  const storage = { CHANCERY_STORAGE_URL: `sqlite:${file}/data/chancery.db` };
  for (const changes of [storage, { ...storage, CHANCERY_ISSUER: '', CHANCERY_ENCRYPTION_KEY: '' }]) {
    const mode = changes === storage ? 'serve' : 'dev';
    assertOneLine(await attemptAt(site, mode, changes), new RegExp(`^chancery ${mode}: .*${file}/data`, 'u'));
  }
});

test('start in development, data folder where the one above takes none: one line, exit code 1', {
  skip: process.platform !== 'linux' && 'only Linux has /proc',
}, async () => {
  const storage = { CHANCERY_STORAGE_URL: 'sqlite:/proc/chancery/chancery.db' };
  assertOneLine(
    await attemptAt(site, 'dev', { ...storage, CHANCERY_ISSUER: '', CHANCERY_ENCRYPTION_KEY: '' }),
    /^chancery dev: .*\/proc\/chancery/u,
  );
});

test('start, the database path is a folder: one line, exit code 1', async () => {
  mkdirSync(site.database);
  assertOneLine(
    await attemptAt(site, 'serve'),
    /^chancery serve: cannot use the database .*it is a directory\n$/u,
  );
});

test('start, damaged database: one line that says to restore it, and the file is left as it is', async () => {
  const program = await startProgram({ folder: site.folder });
  await program.stop();
  const whole = readFileSync(site.database);
  const scribbled = Buffer.from(whole).fill(0xa5, 4096, whole.length - 4096);
  for (const damage of [Buffer.from('not a database'), Buffer.alloc(0), whole.subarray(0, 8192), scribbled]) {
    writeFileSync(site.database, damage);
    assertOneLine(
      await attemptAt(site, 'serve'),
      /^chancery serve: the database .* is damaged \(.*\): restore it/u,
    );
    assert.ok(readFileSync(site.database).equals(damage), 'what is left of it was not changed');
  }
});

test('start, a large file: one of two workers reads it ahead', async () => {
  const first = await startProgram({ folder: site.folder });
  await first.stop();
  truncateSync(site.database, 64 * 1024 * 1024);
  const program = await startProgram({ folder: site.folder, parameters: ['--workers', '2'] });
  const line = /"bytes":67108864,.*the file of the database was read into the cache of the system/gu;
  await program.printed(line);
  // Another worker would have begun at about the same time.
  await sleep(1000);
  await program.stop();
  assert.equal(program.output().match(line)?.length, 1);
});

test('start, a table is missing: one line that names it, exit code 1', async () => {
  const program = await startProgram({ folder: site.folder });
  await program.stop();
  const database = new DatabaseSync(site.database);
  database.exec('DROP TABLE token_origin');
  database.close();
  assertOneLine(await attemptAt(site, 'serve'), /^chancery serve: .*no such table: token_origin/u);
});

test('start, the database is missing and its log is there: one line, exit code 1', async () => {
  const program = await startProgram({ folder: site.folder });
  await program.stop();
  writeFileSync(`${site.database}-wal`, readFileSync(site.database));
  truncateSync(site.database, 0);
  assertOneLine(await attemptAt(site, 'serve'), /^chancery serve: the database .* is damaged/u);
});

test('start in development, data files that cannot be read or written: the process ends, whichever file it is', async () => {
  for (const file of ['tokens', 'encryption-key', 'invitation']) {
    const folder = join(site.folder, `without-${file}`);
    // Root may replace everything but a folder that is in the way.
    mkdirSync(join(folder, `development-${file}.json`), { recursive: true });
    const storage = { CHANCERY_STORAGE_URL: `sqlite:${folder}/chancery.db` };
    assertOneLine(
      await attemptAt(site, 'dev', { CHANCERY_ISSUER: '', CHANCERY_ENCRYPTION_KEY: '', ...storage }),
      /^chancery dev: EISDIR/u,
    );
  }
});
