// Runs one group of test files: `test-group.ts none|process [--concurrency=N] [--name=PATTERN] files…`. Prints failures in full, and
// tells its parent the counts. Ends with 1 when a test failed, or when there was none.
import { relative, resolve } from 'node:path';
import { type EventData, run } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inspect, parseArgs } from 'node:util';
import { Counter, tallyLine } from './test-tally.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: 'string', default: '1' },
    /** A regular expression: only tests with such a name run. */
    name: { type: 'string' },
    /** Tests that take longer are stuck. The longest fault tests wait for tens of seconds. */
    'test-timeout-ms': { type: 'string', default: '180000' },
  },
});
const [isolation, ...files] = positionals;
if (isolation !== 'none' && isolation !== 'process') throw new Error('none or process?');
const timeout = Number(values['test-timeout-ms']);

/** Files that are named as the slowest of a group. */
const SLOWEST_SHOWN = 8;
/** Time for the processes of abandoned files to end. */
const STOP_MS = 500;

const counter = new Counter();
/** Milliseconds of each file. */
const times: { readonly file: string; readonly took: number }[] = [];
const stopping = new AbortController();
/** Ends a run whose test file left a timer or a socket open: the runner itself would wait without a limit. */
const silence = setTimeout(giveUp, timeout * 1.2).unref();

/** Files whose load failure the runner has reported itself: it does so before a file's first test. */
const failedToLoad = new Set<string>();

const stream = run({
  files: files.map((file) => resolve(file)),
  isolation,
  ...(isolation === 'process' ? { concurrency: Number(values.concurrency) } : {}),
  ...(values.name === undefined ? {} : { testNamePatterns: [values.name] }),
  timeout,
  signal: stopping.signal,
});
for await (const event of stream) {
  silence.refresh();
  if (event.type === 'test:pass') counter.pass(event.data);
  if (event.type === 'test:fail' && counter.fail(event.data)) process.stdout.write(failureText(event.data));
  if (event.type === 'test:fail' && event.data.file === event.data.name) failedToLoad.add(event.data.name);
  if (event.type === 'test:summary' && event.data.file !== undefined)
    times.push({ file: event.data.file, took: event.data.duration_ms });
  if (event.type === 'test:stderr') process.stderr.write(event.data.message);
}
clearTimeout(silence);
if (isolation === 'none') await reportLoadFailures();
reportTimes();
report();
// A failed test may have left sockets and processes; ending here ends them (test/program/children.ts).
if (counter.tally.failed > 0) setTimeout(() => process.exit(), STOP_MS);

/**
 * Counts each file that stopped loading after its first test as one failure. The runner does not: it drops the tests behind a
 * rejected top-level await and stays green. A module that failed to load rejects every later import with its error.
 */
async function reportLoadFailures(): Promise<void> {
  for (const file of files) {
    try {
      await import(pathToFileURL(resolve(file)).href);
    } catch (cause) {
      if (failedToLoad.has(resolve(file))) continue;
      counter.tally.failed += 1;
      process.stdout.write(
        `✖ ${file} stopped loading, and the tests behind that point did not run\n  ${inspect(cause)}\n`,
      );
    }
  }
}

/** Names the files that take longest: `npm test` as a whole may take 20 minutes. */
function reportTimes(): void {
  const longest = times.toSorted((one, other) => other.took - one.took).slice(0, SLOWEST_SHOWN);
  const words = longest.map(({ file, took }) => `${relative('.', file)} ${(took / 1000).toFixed(0)} s`);
  if (times.length > SLOWEST_SHOWN) process.stdout.write(`slowest: ${words.join(', ')}\n`);
}

function report(): void {
  const { tally } = counter;
  if (process.send !== undefined) process.send(tally);
  else process.stdout.write(`${tallyLine(tally)}\n`);
  process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
}

function giveUp(): void {
  counter.tally.failed += 1;
  process.stdout.write(
    '✖ the tests are done but do not end: one has left a timer, a socket or a process open\n',
  );
  stopping.abort();
  report();
  setTimeout(() => process.exit(), STOP_MS);
}

function failureText({ name, file, line, details }: EventData.TestFail): string {
  const { error } = details;
  const reason = inspect(error.cause ?? error, { depth: 8 }).replaceAll('\n', '\n  ');
  return `✖ ${name}\n  ${file ?? ''}:${line ?? ''}\n  ${reason}\n`;
}
