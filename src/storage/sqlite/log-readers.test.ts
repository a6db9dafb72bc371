import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { logReaders } from './log-readers.ts';
import { openSqliteStorage } from './open.ts';

const skip = existsSync('/proc/locks') ? false : 'only Linux tells who holds locks';

const READER = `
  const { DatabaseSync } = require('node:sqlite');
  const database = new DatabaseSync(process.argv[1], { readOnly: true });
  database.exec('BEGIN');
  database.prepare('SELECT count(*) FROM client').get();
  process.stdout.write('reads');
  setInterval(() => undefined, 60_000);`;

test('another process that reads the SQLite file is named while it reads, and the own process never', {
  skip,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-readers-'));
  const path = join(folder, 'chancery.db');
  const storage = await openSqliteStorage(path);
  const reader = spawn(process.execPath, ['-e', READER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(reader.stdout, 'data');
    const [found, ...more] = logReaders(path);
    assert.equal(found?.pid, reader.pid);
    assert.match(found?.command ?? '', /./u);
    assert.deepEqual(more, []);
    const ended = once(reader, 'exit');
    reader.kill('SIGKILL');
    await ended;
    assert.deepEqual(logReaders(path), []);
  } finally {
    reader.kill('SIGKILL');
    await storage.close();
    rmSync(folder, { recursive: true });
  }
});
