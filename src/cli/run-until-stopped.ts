import { once } from 'node:events';
import { Socket } from 'node:net';
import { LIFELINE_VARIABLE } from '../config/environment.ts';
import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** What closing takes beside the requests under way: the database, the listeners. */
const CLOSING_MS = 5000;

/** How long stopping may take in all. */
export const stopTimeout = (settings: Settings): number =>
  (settings['stop.delay'] + settings['stop.deadline']) * 1000 + CLOSING_MS;

export interface Running {
  close(): Promise<void>;
}

/** Aborted by the first signal that asks to stop. Further ones change nothing: closing has its own time-out. */
export function stopOnSignals(): AbortController {
  const stop = new AbortController();
  for (const signal of STOP_SIGNALS) process.on(signal, () => stop.abort());
  return stop;
}

/**
 * Starts, serves until a signal asks to stop, then closes in order. A signal that comes while it still starts is
 * kept: a server that others can reach already is never cut off.
 * @param start undefined where it was stopped before there was anything to close
 * @returns the exit code; where closing hangs the process ends with 1.
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
    log.error({}, 'the server could not be closed in time: it ends nevertheless');
    process.exit(1);
  }, timeout_ms);
  hanging.unref();
  await running.close();
  return 0;
}

/**
 * bin/run.mjs holds the other end of a pipe. When it is killed without being able to say so, the server it started
 * must not stay behind on the port.
 */
export function dieWithLauncher(): void {
  const descriptor = process.env[LIFELINE_VARIABLE];
  if (descriptor === undefined) return;
  const lifeline = new Socket({ fd: Number(descriptor), readable: true, writable: false });
  lifeline.on('close', () => process.kill(process.pid, 'SIGKILL')).on('error', () => undefined);
  lifeline.resume();
  // Unlike a file stream, which would keep a closed server's process waiting for its launcher.
  lifeline.unref();
}
