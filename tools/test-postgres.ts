// npm run test:postgres: everything that tests the started program, with the program on PostgreSQL. Files may be named.
import { globSync } from 'node:fs';
import { startTestServer } from '../src/storage/postgres/test-server.ts';
import { ENGINE_VARIABLE } from '../test/program/storage-place.ts';
import { ROOT, runFile } from './child.ts';

/** What is about a file: a full file system below it, and one that is damaged, missing or not to be written. */
const OF_SQLITE: ReadonlySet<string> = new Set([
  'test/faults/full-disk.test.ts',
  'test/journeys/sqlite-file.test.ts',
]);

const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : globSync('test/{journeys,hostile,faults}/**/*.test.ts', { cwd: ROOT })
        .filter((file) => !OF_SQLITE.has(file))
        .sort();
const postgres = await startTestServer();
try {
  process.env[ENGINE_VARIABLE] = 'postgres';
  process.env['CHANCERY_TEST_POSTGRES_PORT'] = String(postgres.port);
  const { how, output } = await runFile('tools/test-group.ts', 'process', '--concurrency=2', ...files);
  process.stdout.write(output);
  process.exitCode = how === 0 ? 0 : 1;
} finally {
  await postgres.stop();
}
