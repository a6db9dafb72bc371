import type { Log } from '../ports/log.ts';

export interface Rounds {
  /** No further round begins; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/**
 * Does something again and again, every so many seconds, one round at a time. A round that fails is logged as `failure`,
 * and the next one is tried: the database may be away and come back.
 */
export function startRounds(
  seconds: number,
  round: () => Promise<void>,
  { log, failure }: { readonly log: Log; readonly failure: string },
): Rounds {
  let running: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    try {
      await round();
    } catch (cause) {
      log.error({ cause }, failure);
    } finally {
      running = undefined;
    }
  };
  const timer = setInterval(() => {
    running ??= run();
  }, seconds * 1000);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
