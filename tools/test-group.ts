// Runs one group of test files: `test-group.ts none|process [--concurrency=N] [--name=PATTERN] files…`. Prints failures in full, and
// tells its parent the result. Ends with 1 when a test failed, or when there was none.
import { parseArgs } from 'node:util';
import { runTestFiles, slowestLine } from './test-files.ts';
import { tallyLine } from './test-tally.ts';

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

/** Time for the processes of abandoned files to end. */
const STOP_MS = 500;

const result = await runTestFiles({
  files,
  isolation,
  concurrency: Number(values.concurrency),
  name: values.name,
  timeout_ms: Number(values['test-timeout-ms']),
});
const { tally, times } = result;
if (process.send === undefined) process.stdout.write(`${slowestLine(times)}${tallyLine(tally)}\n`);
else process.send(result);
process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
// A failed test may have left sockets and processes; ending here ends them (test/program/children.ts).
if (tally.failed > 0) setTimeout(() => process.exit(), STOP_MS);
