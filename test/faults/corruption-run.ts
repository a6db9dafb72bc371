import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { corruptionDrill } from './corruption.ts';
import { damagedLogDrill } from './damaged-log.ts';

/** `npm run faults:corruption -- --flips 50`: counts the damages of each kind that the start or a check notices. */
const { values } = parseArgs({ options: { flips: { type: 'string', default: '50' } } });
const flips = Number(values.flips);
const random = (below: number): number => randomInt(below);
const pages = await corruptionDrill(flips, random);
const logs = await damagedLogDrill(flips, random);

print(
  ['damage', 'tried', 'refused at the start', 'found by storage check'],
  pages.map(({ fault, tried, start, check }) => [fault, tried, start, check]),
);
print(
  ['after kill -9', 'tried', 'refused at the start', 'all is there', 'the newest is missing'],
  logs.map(({ fault, tried, refused, complete, shortened }) => [fault, tried, refused, complete, shortened]),
);
for (const { fault, wild } of [...pages, ...logs])
  for (const error of wild) console.error(`${fault}: ${error}`);
process.exitCode = [...pages, ...logs].some(({ wild }) => wild.length > 0) ? 1 : 0;

function print(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  const widths = head.map((_, index) =>
    Math.max(...[head, ...rows].map((row) => String(row[index] ?? '').length)),
  );
  for (const row of [head, ...rows]) {
    const cells = row.map((cell, index) =>
      index === 0 ? String(cell).padEnd(widths[0] ?? 0) : String(cell).padStart(widths[index] ?? 0),
    );
    console.log(cells.join('  '));
  }
  console.log();
}
