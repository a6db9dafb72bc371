// npm run test:postgres: everything that tests the started program, with the program on PostgreSQL. Files may be named.
import { globSync } from 'node:fs';
import { startTestServer } from '../src/testing/postgres/server.ts';
import { ENGINE_VARIABLE } from '../test/program/storage-place.ts';
import { ROOT, runFile } from './child.ts';

/** Tests about the SQLite file: a full disk, and a damaged, missing or read-only file. */
const OF_SQLITE: ReadonlySet<string> = new Set([
  'test/faults/failed-reads.test.ts',
  'test/faults/full-disk.test.ts',
  'test/journeys/sqlite-file.test.ts',
]);

const inBrowser = /^test\/browser\//u;

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : globSync('test/{journeys,hostile,faults,browser}/**/*.test.ts', { cwd: ROOT })
        .filter((file) => !OF_SQLITE.has(file))
        .sort();

async function runGroup(isolation: 'none' | 'process', group: readonly string[]): Promise<boolean> {
  if (group.length === 0) return true;
  const { how, output } = await runFile('tools/test-group.ts', isolation, '--concurrency=2', ...group);
  process.stdout.write(output);
  return how === 0;
}

const postgres = await startTestServer();
try {
  process.env[ENGINE_VARIABLE] = 'postgres';
  process.env['CHANCERY_TEST_POSTGRES_PORT'] = String(postgres.port);
  const many = await runGroup(
    'process',
    files.filter((file) => !inBrowser.test(file)),
  );
  // They share one Chromium.
  const browser = await runGroup(
    'none',
    files.filter((file) => inBrowser.test(file)),
  );
  process.exitCode = many && browser ? 0 : 1;
} finally {
  await postgres.stop();
}
