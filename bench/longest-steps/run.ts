/**
 * Prints the longest synchronous step that hostile input at the limits causes at each endpoint. A step keeps every other
 * request waiting. Run: npm run steps -- [--only WORDS] [--rounds N] [--against CHECKOUT]. Ends with 1 if a step takes more than 20 ms of CPU time.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ask } from './ask.ts';
import { HOSTILE_STEPS } from './rows.ts';
import type { HostileStep } from './steps.ts';
import { openWorld, type World } from './world.ts';

const STEP_MAX_MS = 20;
const PROBE = new URL('probe.mjs', import.meta.url);

interface Step {
  /** CPU time of the longest turn of the event loop, in milliseconds. */
  readonly turn_ms: number;
  /** The longest delay that `monitorEventLoopDelay` saw: other processes count too. */
  readonly delay_ms: number;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    against: { type: 'string' },
  },
});

const other = values.against === undefined ? undefined : join(values.against, 'src/cli/chancery.ts');
const world = await openWorld({ NODE_OPTIONS: `--import=${PROBE.href}` }, other);
let longest = 0;
try {
  console.log('endpoint and input | longest turn, CPU ms | longest delay, ms | status');
  for (const row of HOSTILE_STEPS.filter(({ endpoint, what }) =>
    `${endpoint}: ${what}`.includes(values.only),
  )) {
    const { step, status } = await measured(world, row, Number(values.rounds));
    longest = Math.max(longest, step.turn_ms);
    const mark = step.turn_ms > STEP_MAX_MS ? '  <-- too long' : '';
    const wrong = status === row.status ? '' : `, expected ${row.status}`;
    console.log(
      `${row.endpoint}: ${row.what} | ${step.turn_ms.toFixed(1)} | ${step.delay_ms.toFixed(1)} | ${status}${wrong}${mark}`,
    );
  }
} finally {
  await world.close();
}
console.log(`longest: ${longest.toFixed(1)} ms`);
process.exitCode = longest > STEP_MAX_MS ? 1 : 0;

/** The smallest of the longest steps: compiling and collecting garbage come once, what the input costs comes every time. */
async function measured(
  world: World,
  row: HostileStep,
  rounds: number,
): Promise<{ readonly step: Step; readonly status: number }> {
  const steps: Step[] = [];
  let status = 0;
  for (let round = 0; round < rounds; round += 1) {
    const sent = await row.request(world);
    await stepSince(world, sent.external === true);
    status = (await ask(world, sent)).status;
    steps.push(await stepSince(world, sent.external === true));
  }
  const least = (of: (step: Step) => number): number => Math.min(...steps.map(of));
  return {
    step: { turn_ms: least(({ turn_ms }) => turn_ms), delay_ms: least(({ delay_ms }) => delay_ms) },
    status,
  };
}

/** Returns the longest step since the last call. */
async function stepSince({ program, external, folder }: World, ofExternal: boolean): Promise<Step> {
  const file = join(folder, ofExternal ? 'external' : 'program');
  rmSync(file, { force: true });
  (ofExternal ? external : program).signal('SIGUSR2');
  for (;;) {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Step;
    } catch {
      await sleep(2);
    }
  }
}
