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
  /** @param atOnce closes the listeners without the grace period `stop.delay` */
  close(atOnce: boolean): Promise<void>;
}

/** The exit code after an error that no code handled (EX_SOFTWARE of sysexits(3)). */
const UNHANDLED_EXIT_CODE = 70;

/** The reason of a stop: an error that no code handled. */
class Unhandled extends Error {
  override readonly name = 'Unhandled';
}

export const exitCodeOf = ({ reason }: AbortSignal): number =>
  reason instanceof Unhandled ? UNHANDLED_EXIT_CODE : 0;

/**
 * Stops the server in order after an error that no code handled: requests under way end, and the exit code tells the
 * supervisor to start another process. Without this, Node ends the process at once and resets every connection. The
 * process cannot go on: that error may have left anything half done.
 * @param timeout_ms after this long the process ends with its connections, also if it hangs in its start
 */
export function stopOnUnhandledErrors(stop: AbortController, timeout_ms: number, log: Log): void {
  // Node raises an unhandled rejection as this event too.
  process.on('uncaughtException', (cause, origin) => {
    log.error({ cause, origin }, 'an error was not handled: the server stops');
    if (stop.signal.aborted) return;
    stop.abort(new Unhandled('an error was not handled', { cause }));
    setTimeout(() => process.exit(UNHANDLED_EXIT_CODE), timeout_ms).unref();
  });
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
  const stop = stopOnSignals();
  stopOnUnhandledErrors(stop, stopTimeout(settings), log);
  return await serveUntil(stop, stopTimeout(settings), log, start);
}

export async function serveUntil(
  { signal }: AbortController,
  timeout_ms: number,
  log: Log,
  start: (stopped: AbortSignal) => Promise<Running | undefined>,
): Promise<number> {
  const running = await start(signal);
  if (running === undefined) return exitCodeOf(signal);
  if (!signal.aborted) await once(signal, 'abort');
  const hanging = setTimeout(() => {
    log.error({}, 'the server did not close in time: the process ends now');
    process.exit(1);
  }, timeout_ms);
  hanging.unref();
  const code = exitCodeOf(signal);
  await running.close(code !== 0);
  return code;
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
