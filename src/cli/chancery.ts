import { dispatch } from './dispatch.ts';
import { forTerminal } from './table.ts';
import { runtimeRefusal } from './version.ts';

const surroundings = {
  environment: process.env,
  print: (line: string) => void process.stdout.write(`${forTerminal(line)}\n`),
  complain: (line: string) => void process.stderr.write(`${forTerminal(line)}\n`),
};

// `chancery config print | head`: a reader that stops early is not a failure of the command.
process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
  if (failure.code !== 'EPIPE') throw failure;
});
const refusal = runtimeRefusal(process.versions);
if (refusal !== undefined) surroundings.complain(refusal);
process.exitCode = refusal === undefined ? await dispatch(process.argv.slice(2), surroundings) : 1;
