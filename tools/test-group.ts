// Runs one group of test files: `test-group.ts none|process [--concurrency=N] files…`. Prints failures in full, and
// tells its parent the counts. Ends with 1 when a test failed, or when there was none.
import { resolve } from 'node:path';
import { type EventData, run } from 'node:test';
import { inspect, parseArgs } from 'node:util';
import { Counter, tallyLine } from './test-tally.ts';

/** A test that takes longer is stuck; the longest of the fault tests wait for tens of seconds. */
const TEST_TIMEOUT_MS = 180_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { concurrency: { type: 'string', default: '1' } },
});
const [isolation, ...files] = positionals;
if (isolation !== 'none' && isolation !== 'process') throw new Error('none or process?');

const counter = new Counter();
const stream = run({
  files: files.map((file) => resolve(file)),
  isolation,
  ...(isolation === 'process' ? { concurrency: Number(values.concurrency) } : {}),
  timeout: TEST_TIMEOUT_MS,
});
for await (const event of stream) {
  if (event.type === 'test:pass') counter.pass(event.data);
  if (event.type === 'test:fail' && counter.fail(event.data)) process.stdout.write(failureText(event.data));
  if (event.type === 'test:stderr') process.stderr.write(event.data.message);
}
const { tally } = counter;
if (process.send !== undefined) process.send(tally);
else process.stdout.write(`${tallyLine(tally)}\n`);
process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;

function failureText({ name, file, line, details }: EventData.TestFail): string {
  const { error } = details;
  const reason = inspect(error.cause ?? error, { depth: 8 }).replaceAll('\n', '\n  ');
  return `✖ ${name}\n  ${file ?? ''}:${line ?? ''}\n  ${reason}\n`;
}
