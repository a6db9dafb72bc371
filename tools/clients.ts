// npm run clients: the journeys of clients that Debian brings, and of the MCP Inspector, whose packages take 110 MB. Installs
// what is missing where apt-get can; a journey whose programs are not there is skipped, with a message that names the
// packages. With --no-install, apt-get installs nothing.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { journeysWithoutPackages, missingPackages } from '../test/clients/debian/packages.ts';
import { ROOT, runFile } from './child.ts';
import { ownFiles } from './own-files.ts';

const { values } = parseArgs({ options: { 'no-install': { type: 'boolean', default: false } } });

const missing = missingPackages();
if (missing.length > 0 && !values['no-install']) install(missing);
for (const [journey, reason] of journeysWithoutPackages())
  process.stdout.write(`– ${journey}: skipped, ${reason}\n`);
const { how, output } = await runFile(
  'tools/test-group.ts',
  'process',
  ...ownFiles(ROOT, 'test/clients/{debian,inspector}/*.test.ts'),
);
process.stdout.write(output);
process.exitCode = how === 0 ? 0 : 1;

/** Where this fails, for who is not root or has no Debian, the tests say what is missing. */
function install(packages: readonly string[]): void {
  process.stdout.write(`installing ${packages.join(' ')}\n`);
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const words of [
    ['update', '-q'],
    ['install', '-y', '-q', '--no-install-recommends', ...packages],
  ]) {
    const { status, stderr, error } = spawnSync('apt-get', words, { env: environment, encoding: 'utf8' });
    if (status === 0) continue;
    process.stdout.write(`apt-get ${words[0]} failed: ${error?.message ?? stderr}\n`);
    return;
  }
}
