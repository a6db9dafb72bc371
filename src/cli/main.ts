import { dispatch } from './dispatch.ts';
import { TERMINAL } from './terminal.ts';

/** Runs the command of the command line. */
export async function main(): Promise<void> {
  // `chancery config print | head`: a reader that stops early is not a failure of the command.
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
  });
  process.exitCode = await dispatch(process.argv.slice(2), TERMINAL);
}
