// npm run mutants [-- --only NAME,NAME or the beginning of several] [--list]: plants each fault of tools/mutants in a copy of
// the tree, and runs the tests that must fail. A run that was interrupted goes on where it was, unless a file has changed.
// Ends with 1 if a fault survives without a written reason, or if a test does not pass without the fault.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startTestServer, type TestServer } from '../src/testing/postgres/server.ts';
import { ROOT } from './child.ts';
import { MUTANTS } from './mutants/catalogue.ts';
import { type KillerOutcome, runKiller } from './mutants/killer-run.ts';
import { type Killer, type Mutant, plant } from './mutants/mutant.ts';
import { copyTree } from './mutants/tree-copy.ts';

interface Result {
  readonly name: string;
  readonly verdict:
    | 'killed'
    | 'survived'
    | 'survived with a reason'
    | 'killed in spite of a reason'
    | 'no proof';
  /** Which tests did not do what they should. */
  readonly because: readonly string[];
  readonly seconds: number;
}

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    list: { type: 'boolean', default: false },
    /** Forgets the results of earlier runs. */
    again: { type: 'boolean', default: false },
  },
});
const chosen = choose(values.only);
if (values.list) {
  for (const { name, fault } of chosen) console.log(`${name}: ${fault}`);
  process.exit();
}

const copy = copyTree(ROOT);
process.on('exit', () => copy.remove());
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const kept = join(tmpdir(), 'chancery-mutants');
mkdirSync(kept, { recursive: true });
const record = join(kept, `${copy.digest}.jsonl`);
const known = values.again ? new Map<string, Result>() : readResults();
/** Whether a test passes without any fault. */
const passes = new Map<string, Promise<KillerOutcome>>();
let postgres: TestServer | undefined;

const results: Result[] = [];
try {
  for (const mutant of chosen) {
    const result = known.get(mutant.name) ?? (await judge(mutant));
    if (!known.has(mutant.name)) appendFileSync(record, `${JSON.stringify(result)}\n`);
    results.push(result);
    const again = known.has(mutant.name) ? ' (earlier)' : '';
    console.log(`${result.verdict.padEnd(10)} ${mutant.name} (${result.seconds.toFixed(1)} s)${again}`);
    for (const line of result.because) console.log(`           ${line}`);
  }
} finally {
  await postgres?.stop();
}
report();

async function judge(mutant: Mutant): Promise<Result> {
  const started = performance.now();
  const verdictOf = (verdict: Result['verdict'], because: readonly string[] = []): Result => {
    return { name: mutant.name, verdict, because, seconds: (performance.now() - started) / 1000 };
  };
  const unproven: string[] = [];
  for (const killer of mutant.killers) {
    const outcome = await withoutFault(killer);
    if (outcome !== 'passed') unproven.push(`without the fault, ${outcome}: ${nameOf(killer)}`);
  }
  if (unproven.length > 0) return verdictOf('no proof', unproven);
  const passed: string[] = [];
  const restore = plant(copy.root, mutant);
  try {
    for (const killer of mutant.killers) {
      const outcome = await run(killer);
      if (outcome !== 'failed') passed.push(`${outcome}: ${nameOf(killer)}`);
    }
  } finally {
    restore();
  }
  if (mutant.survives === undefined) return verdictOf(passed.length === 0 ? 'killed' : 'survived', passed);
  if (passed.length < mutant.killers.length) return verdictOf('killed in spite of a reason');
  return verdictOf('survived with a reason', [mutant.survives]);
}

function nameOf({ file, test, engine }: Killer): string {
  return `${file}: ${test}${engine === undefined ? '' : ` (${engine})`}`;
}

async function withoutFault(killer: Killer): Promise<KillerOutcome> {
  const name = nameOf(killer);
  const outcome = passes.get(name) ?? run(killer);
  passes.set(name, outcome);
  return await outcome;
}

async function run(killer: Killer): Promise<KillerOutcome> {
  const needsPostgres = killer.engine === 'postgres' || killer.file.startsWith('src/storage/postgres/');
  if (needsPostgres) postgres ??= await startTestServer();
  return await runKiller(copy.root, killer, postgres?.port);
}

function choose(only: string | undefined): readonly Mutant[] {
  if (only === undefined) return MUTANTS;
  const names = only.split(',');
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name.startsWith(name)));
  if (unknown.length > 0) {
    console.error(`--only: no mutant begins with ${unknown.join(', ')}; --list shows all`);
    process.exit(2);
  }
  return MUTANTS.filter((mutant) => names.some((name) => mutant.name.startsWith(name)));
}

function readResults(): ReadonlyMap<string, Result> {
  if (!existsSync(record)) return new Map();
  const lines = readFileSync(record, 'utf8').split('\n');
  const found = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Result);
  return new Map(found.map((result) => [result.name, result]));
}

function report(): void {
  const count = (verdict: Result['verdict']): number =>
    results.filter((result) => result.verdict === verdict).length;
  const bad = results.filter(({ verdict }) => verdict !== 'killed' && verdict !== 'survived with a reason');
  for (const { name, verdict } of bad) console.log(`✖ ${name}: ${verdict}`);
  console.log(
    `${results.length} mutants: ${count('killed')} killed, ${count('survived')} survived, ${count('survived with a reason')} survived with a reason, ${count('no proof') + count('killed in spite of a reason')} without proof`,
  );
  if (bad.length > 0) process.exitCode = 1;
}
