import { giveWayToServers } from '../storage/priority.ts';
import { dispatch } from './dispatch.ts';
import { TERMINAL } from './terminal.ts';

/** Servers, and a question whose asker waits for a limited time. Every other command gives way to servers (ADR 97). */
const URGENT: ReadonlySet<string> = new Set(['dev', 'serve', 'health']);

/** Runs the command of the command line. */
export async function main(): Promise<void> {
  // `chancery config print | head`: a reader that stops early is not a failure of the command.
  process.stdout.on('error', (failure: NodeJS.ErrnoException) => {
    if (failure.code !== 'EPIPE') throw failure;
  });
  const words = process.argv.slice(2);
  if (!URGENT.has(words[0] ?? '')) giveWayToServers();
  process.exitCode = await dispatch(words, TERMINAL);
}
