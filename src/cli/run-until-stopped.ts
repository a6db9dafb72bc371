import { Socket } from 'node:net';
import { LIFELINE_VARIABLE } from '../config/environment.ts';
import type { RunningServer } from '../main.ts';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Starts, serves until a signal asks to stop, then closes in order. A signal that comes while it still starts is
 * kept: a server that others can reach already is never cut off.
 * @returns the exit code.
 */
export async function runUntilStopped(start: () => Promise<RunningServer>): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of STOP_SIGNALS) process.once(signal, () => resolve());
  });
  const server = await start();
  dieWithLauncher();
  await stopped;
  await server.close();
  return 0;
}

/**
 * bin/run.mjs holds the other end of a pipe. When it is killed without being able to say so, the server it started
 * must not stay behind on the port.
 */
function dieWithLauncher(): void {
  const descriptor = process.env[LIFELINE_VARIABLE];
  if (descriptor === undefined) return;
  const lifeline = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  lifeline.on('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => undefined);
  lifeline.resume();
  // Unlike a file stream, which would keep a closed server's process waiting for its launcher.
  lifeline.unref();
}
