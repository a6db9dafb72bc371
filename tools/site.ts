// npm run site: makes the static site of docs/ in dist.site/. With --out, in another folder.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { installClients } from '../test/clients/installed.ts';
import { ROOT, runFile } from './child.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: 'dist.site' } } });
await installClients('site');
const { how, output } = await runFile(
  'site/node_modules/@11ty/eleventy/cmd.cjs',
  '--config=site/eleventy.config.mjs',
  '--input=docs',
  `--output=${resolve(ROOT, values.out)}`,
  '--quiet',
);
process.stdout.write(output);
if (how !== 0) process.exitCode = 1;
