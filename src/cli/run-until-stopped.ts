import { once } from 'node:events';
import { Socket } from 'node:net';
import { LIFELINE_VARIABLE } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Time for closing the database and the listeners, after the requests under way have ended. */
const CLOSING_MS = 5000;

/** Returns how many milliseconds stopping may take. */
export const stopTimeout = (settings: Settings): number =>
  (settings['stop.delay'] + settings['stop.deadline']) * 1000 + CLOSING_MS;

export interface Running {
  close(): Promise<void>;
}

/** Returns a controller that the first stop signal aborts. Further signals change nothing: closing has its own time-out. */
export function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop.abort());
  return stop;
}

/**
 * Starts a server, serves until a signal stops it, and closes it in order. A signal during the start waits for the end
 * of the start, so that requests under way are finished. Resolves with the exit code; the process ends with 1 if closing
 * takes too long.
 * @param start resolves with undefined if it was stopped before there was anything to close
 */
export async function runUntilStopped(
  { settings, log }: { readonly settings: Settings; readonly log: Log },
  start: (stopped: AbortSignal) => Promise<Running | undefined>,
): Promise<number> {
  dieWithLauncher();
  return await serveUntil(stopOnSignals(), stopTimeout(settings), log, start);
}

export async function serveUntil(
  { signal }: AbortController,
  timeout_ms: number,
  log: Log,
  start: (stopped: AbortSignal) => Promise<Running | undefined>,
): Promise<number> {
  const running = await start(signal);
  if (running === undefined) return 0;
  if (!signal.aborted) await once(signal, 'abort');
  const hanging = setTimeout(() => {
    log.error({}, 'the server did not close in time: the process ends now');
    process.exit(1);
  }, timeout_ms);
  hanging.unref();
  await running.close();
  return 0;
}

/**
 * Ends this process when its launcher is gone. bin/run.mjs holds the other end of a pipe; if the launcher is killed, the
 * server that it started must not keep the port.
 */
export function dieWithLauncher(): void {
  const descriptor = process.env[LIFELINE_VARIABLE];
  if (descriptor === undefined) return;
  const lifeline = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  lifeline.on('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => undefined);
  lifeline.resume();
  // A file stream instead would keep the process of a closed server alive until its launcher ends.
  lifeline.unref();
}
