// Writes the documents that are made from tables; with --check, names the stale ones instead and ends with 1.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { DOCUMENTS } from './documents.ts';

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    root: { type: 'string', default: dirname(import.meta.dirname) },
  },
});
const { root } = values;
const stale = DOCUMENTS.map(({ path, make }) => ({ path, text: make() })).filter(
  ({ path, text }) => textAt(join(root, path)) !== text,
);

for (const { path, text } of stale) {
  if (values.check) console.error(`${path} is stale: run npm run docs`);
  else {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(`${path} written`);
  }
}
if (values.check && stale.length > 0) process.exitCode = 1;
// The endpoints' pages come from test support, whose runner would report zero tests at the end.
process.stdout.write = () => true;

function textAt(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (failure) {
    if (failure instanceof Error && 'code' in failure && failure.code === 'ENOENT') return undefined;
    throw failure;
  }
}
