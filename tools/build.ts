// npm run build: makes the npm package in dist/ (`npm pack ./dist` packs it). With --out, in another folder.
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackage, DIST } from './build/package.ts';
import { ROOT } from './child.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: DIST } } });
const start = performance.now();
await buildPackage(resolve(ROOT, values.out));
process.stdout.write(
  `${relative(ROOT, values.out)} built (${((performance.now() - start) / 1000).toFixed(1)} s)\n`,
);
