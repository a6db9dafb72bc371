// npm run test:dist: builds the package and runs the tests of the started program on it. Files may be named.

import { startTestServer } from '../src/testing/postgres/server.ts';
import { PROGRAM_VARIABLE } from '../src/testing/program.ts';
import { buildPackage, DIST } from './build/package.ts';
import { ROOT, runFile } from './child.ts';
import { ownFiles } from './own-files.ts';

const inBrowser = /^test\/browser\//u;
const named = process.argv.slice(2);
const files =
  named.length > 0
    ? named
    : [
        ...ownFiles(ROOT, 'test/{journeys,hostile,faults,package,browser}/**/*.test.ts'),
        'src/cli/chancery.test.ts',
      ];

await buildPackage(DIST);
const postgres = await startTestServer();
try {
  process.env[PROGRAM_VARIABLE] = 'dist';
  process.env['CHANCERY_TEST_POSTGRES_PORT'] = String(postgres.port);
  const beside = await passes(
    'process',
    files.filter((file) => !inBrowser.test(file)),
  );
  // They share one Chromium.
  const browser = await passes(
    'none',
    files.filter((file) => inBrowser.test(file)),
  );
  if (!beside || !browser) process.exitCode = 1;
} finally {
  await postgres.stop();
}

async function passes(isolation: 'none' | 'process', group: readonly string[]): Promise<boolean> {
  if (group.length === 0) return true;
  const { how, output } = await runFile('tools/test-group.ts', isolation, '--concurrency=2', ...group);
  process.stdout.write(output);
  return how === 0;
}
