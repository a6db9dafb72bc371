import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { PROGRAM } from '../../src/testing/program.ts';
import { command } from '../journeys/command.ts';
import { ENCRYPTION_KEY, startProgram } from '../program/start.ts';
import { noInjection } from './io-injection.ts';

/** A line of `strace -f -y` about the copy, before it has its name: thread, call and its outcome. The journal has another ending. */
const OF_COPY = /^(\d+) +(fsync|fdatasync)\(\d+<[^>]*\.new-[0-9a-f]+>/u;

const tracing = (record: string): readonly string[] => [
  '-f',
  '-y',
  '--seccomp-bpf',
  '--trace=fsync,fdatasync',
  `--output=${record}`,
  process.execPath,
];

test('a thread flushes the copy of a backup while SQLite makes it; SQLite does not flush the whole copy at its end', {
  skip: noInjection() ?? false,
  timeout: 120_000,
}, async () => {
  const program = await startProgram();
  const record = mkdtempSync(join(program.folder, 'strace-'));
  try {
    const { how, stderr } = await command(
      'strace',
      [...tracing(join(record, 'syncs')), PROGRAM, 'backup', 'create', '--out', join(record, 'backup.db')],
      {
        CHANCERY_ISSUER: program.issuer,
        CHANCERY_STORAGE_URL: `sqlite:${join(program.folder, 'chancery.db')}`,
        CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
      },
    );
    assert.equal(how, 0, stderr);
    const calls = readFileSync(join(record, 'syncs'), 'latin1')
      .split('\n')
      .flatMap((line) => {
        const [, thread, call] = OF_COPY.exec(line) ?? [];
        return thread === undefined ? [] : [{ thread, call }];
      });
    const main = calls.at(-1)?.thread;
    // The last two are the commit that adds the digests, and the flush before the copy gets its name.
    assert.deepEqual(
      calls.slice(-2).map(({ thread }) => thread),
      [main, main],
    );
    assert.ok(calls.length > 2);
    for (const { thread, call } of calls.slice(0, -2)) {
      assert.notEqual(thread, main);
      assert.equal(call, 'fdatasync');
    }
  } finally {
    rmSync(record, { recursive: true });
    await program.stop();
  }
});
