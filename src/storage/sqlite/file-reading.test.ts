import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Log } from '../../ports/log.ts';
import { openReadConnection } from './connection.ts';
import { createWhereAbsent } from './database-file.ts';
import { type FileReading, readWholeFile } from './file-reading.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-reading-'));
after(() => rmSync(root, { recursive: true }));

const MIB = 1024 * 1024;
const PLENTY = 1024 * MIB;

/** A file of zeros that takes no room. */
function fileOf(bytes: number): string {
  const path = join(mkdtempSync(join(root, 'f-')), 'file');
  writeFileSync(path, '');
  truncateSync(path, bytes);
  return path;
}

function begun(path: string, log: string[] = []): FileReading {
  const say = (_: object, words: string): void => void log.push(words);
  const reading = readWholeFile(path, { info: say, warn: say, error: say }, PLENTY);
  assert.ok(reading !== undefined);
  return reading;
}

/** The processes of the file's reading that this process has. */
function readers(): readonly string[] {
  const threads = `/proc/${process.pid}/task`;
  const children = readdirSync(threads).flatMap((thread) =>
    readFileSync(join(threads, thread, 'children'), 'utf8').split(' '),
  );
  return children.filter(
    (pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('file-reading-process'),
  );
}

test('a file is read to its end, and the log says so', async () => {
  const bytes = 64 * MIB + 4097;
  const log: string[] = [];
  assert.equal(await begun(fileOf(bytes), log).ended, bytes);
  assert.deepEqual(log, ['the file of the database was read into the cache of the system']);
});

test('a small file, and one that is larger than half of the memory, are not read', () => {
  const never = (): never => assert.fail('it says something');
  const log: Log = { info: never, warn: never, error: never };
  assert.equal(readWholeFile(fileOf(64 * MIB - 1), log, PLENTY), undefined);
  assert.equal(readWholeFile(fileOf(PLENTY / 2 + 1), log, PLENTY), undefined);
});

test('a stop ends the reading at once and without a warning', { skip: !existsSync('/proc') }, async () => {
  const log: string[] = [];
  const reading = begun(fileOf(PLENTY / 2), log);
  assert.equal(readers().length, 1);
  await reading.close();
  assert.equal(await reading.ended, undefined);
  assert.deepEqual([readers(), log], [[], []]);
  await reading.close();
});

test('a file that cannot be read is a warning', async () => {
  const log: string[] = [];
  const path = fileOf(64 * MIB);
  const reading = begun(path, log);
  rmSync(path);
  assert.equal(await reading.ended, undefined);
  assert.deepEqual(log, ['the file of the database was not read ahead: look-ups may wait for the disk']);
});

/** The locks that this process holds on a file. */
function locksOn(path: string): readonly string[] {
  const lines = readFileSync('/proc/locks', 'utf8').split('\n');
  return lines.filter(
    (line) => line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `),
  );
}

test('the locks of the connections that are open stay', { skip: !existsSync('/proc/locks') }, async () => {
  const path = join(mkdtempSync(join(root, 'd-')), 'registry.sqlite');
  createWhereAbsent(path, 0, true);
  truncateSync(path, 64 * MIB);
  const reader = openReadConnection(path);
  assert.equal(locksOn(path).length, 1);
  assert.equal(await begun(path).ended, 64 * MIB);
  assert.equal(locksOn(path).length, 1);
  reader.close();
});
