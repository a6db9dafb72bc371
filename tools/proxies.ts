// npm run proxies: runs nginx and Caddy with the files of deploy/proxies in front of a started server. Ends with 1 if a proxy
// is not installed: no proxy is left out.
import { spawnSync } from 'node:child_process';
import { PROXIES } from '../test/proxies/proxy.ts';
import { runFile } from './child.ts';

const missing = PROXIES.filter(({ program }) => spawnSync(program, ['-v']).error !== undefined);
for (const { name, program, package: from } of missing)
  process.stdout.write(`✖ ${name}: there is no ${program}; apt-get install ${from}\n`);
const { how, output } = await runFile('tools/test-group.ts', 'process', 'test/proxies/proxies.test.ts');
process.stdout.write(output);
process.exitCode = missing.length === 0 && how === 0 ? 0 : 1;
