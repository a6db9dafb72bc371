// npm run prose: what breaks the rules of plain English (docs/adr/0036). `npm run prose -- src/http` shows the places in a
// folder or file, `npm run prose -- "comments of the program"` those of an area.
import { ALLOWED } from './prose/prose-allowed.ts';
import { findingsIn } from './prose/prose-rules.ts';
import { readProse } from './prose/prose-sources.ts';

const [wanted] = process.argv.slice(2);
const areas = readProse().map(({ name, passages }) => ({ name, found: passages.flatMap(findingsIn) }));

for (const { name, found } of areas) {
  const shown = found.filter(
    ({ path }) => wanted !== undefined && (name === wanted || path.startsWith(wanted)),
  );
  for (const { path, line, problem } of shown) process.stdout.write(`${path}:${line} ${problem}\n`);
}
for (const { name, found } of areas) {
  process.stdout.write(`${name}: ${found.length} findings, ${ALLOWED[name] ?? 0} allowed\n`);
}
