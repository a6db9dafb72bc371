/**
 * The faults of test/faults, longer than a test run has time for:
 * npm run faults -- [--only NAME,NAME or the beginning of several, such as failover] [--rounds N] [--minutes N] [--storage sqlite|postgres|both] [--markdown FILE] [--program FILE, the chancery.ts of another checkout, for memory-* only]
 * Ends with 1 when something acknowledged was lost, half-written, used twice or active again, or an expectation did not hold.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  BOTH_ENGINES,
  type EngineName,
  type Experiment,
  type ExperimentOptions,
  type Outcome,
  runExperiment,
} from './experiment.ts';
import { EXPERIMENTS } from './experiments.ts';
import { machine } from './machine.ts';
import { details, isSound, markdown, type Reported, terminalTable } from './report.ts';
import { openStand } from './stand.ts';

const ROUNDS_MAX = 1000;
const MINUTES_MAX = 1440;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '1' },
    storage: { type: 'string', default: 'both' },
    markdown: { type: 'string' },
    program: { type: 'string' },
  },
});
const rounds = wholeNumber('rounds', values.rounds, ROUNDS_MAX);
const minutes = wholeNumber('minutes', values.minutes, MINUTES_MAX);
const engines = enginesOf(values.storage);
const chosen = choose(values.only);

const reported: Reported[] = [];
for (const experiment of chosen) {
  for (const engine of experiment.engines.filter((each) => engines.includes(each))) {
    console.log(`\n${experiment.fault} (${experiment.name}), ${engine}`);
    const one = await runOne(experiment, engine);
    console.log(details(one));
    reported.push(one);
  }
}
console.log(`\n${terminalTable(reported)}`);
if (values.markdown !== undefined) writeFileSync(values.markdown, markdown(machine(), reported));
process.exitCode = reported.every(isSound) ? 0 : 1;

async function runOne(experiment: Experiment, engine: EngineName): Promise<Reported> {
  const options: ExperimentOptions = {
    rounds,
    minutes,
    program: values.program,
    say: (line) => console.log(`  ${line}`),
  };
  const started = performance.now();
  const stand = await openStand(engine);
  try {
    const outcome = await runExperiment(experiment, stand, options).catch(asBroken);
    return { experiment, engine, outcome, seconds: (performance.now() - started) / 1000 };
  } finally {
    await stand.close();
  }
}

/** An experiment that could not be done to its end is no sound one; the others go on. */
function asBroken(error: unknown): Outcome {
  const none = { lost: [], half_written: [], used_twice: [], revoked_active: [] };
  const reason = error instanceof Error ? error.message : String(error);
  return { ...none, acked: 0, unknown: 0, broken: [`the experiment failed: ${reason}`], figures: {} };
}

function choose(only: string | undefined): readonly Experiment[] {
  if (only === undefined) return EXPERIMENTS;
  const names = only.split(',');
  const isNamed = (name: string) => (experiment: Experiment) =>
    experiment.name === name || experiment.name.startsWith(`${name}-`);
  const unknown = names.filter((name) => !EXPERIMENTS.some(isNamed(name)));
  if (unknown.length > 0) {
    refuse(`--only: ${unknown.join(', ')}; there are ${EXPERIMENTS.map(({ name }) => name).join(', ')}`);
  }
  return EXPERIMENTS.filter((experiment) => names.some((name) => isNamed(name)(experiment)));
}

function enginesOf(storage: string): readonly EngineName[] {
  if (storage === 'both') return BOTH_ENGINES;
  if (storage !== 'sqlite' && storage !== 'postgres') refuse('--storage must be sqlite, postgres or both');
  return [storage as EngineName];
}

function wholeNumber(option: string, text: string, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > max) {
    refuse(`--${option} must be a whole number from 1 to ${max}`);
  }
  return value;
}

function refuse(why: string): void {
  console.error(why);
  process.exit(2);
}
