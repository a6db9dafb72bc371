import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { corruptionDrill } from './corruption.ts';

/** `npm run faults:corruption -- --flips 50`: how many damages of each kind are noticed, and by whom. */
const { values } = parseArgs({ options: { flips: { type: 'string', default: '50' } } });
const detections = await corruptionDrill(Number(values.flips), (below) => randomInt(below));
const WIDTH = 34;
console.log(`${'damage'.padEnd(WIDTH)}  tried  refused at the start  found by storage check`);
for (const { fault, tried, start, check, wild } of detections) {
  console.log(
    `${fault.padEnd(WIDTH)}  ${String(tried).padStart(5)}  ${String(start).padStart(20)}  ${String(check).padStart(22)}`,
  );
  for (const error of wild) console.error(`${fault}: ${error}`);
}
process.exitCode = detections.some(({ wild }) => wild.length > 0) ? 1 : 0;
