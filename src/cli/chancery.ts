import { dispatch } from './dispatch.ts';
import { TERMINAL } from './terminal.ts';
import { runtimeRefusal } from './version.ts';

// `chancery config print | head`: a reader that stops early is not a failure of the command.
process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
  if (failure.code !== 'EPIPE') throw failure;
});
const refusal = runtimeRefusal(process.versions);
if (refusal !== undefined) TERMINAL.complain(refusal);
process.exitCode = refusal === undefined ? await dispatch(process.argv.slice(2), TERMINAL) : 1;
