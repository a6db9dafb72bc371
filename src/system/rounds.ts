import type { Log } from '../ports/log.ts';

export interface Rounds {
  /** Begins no further round. Resolves when the running one has ended. */
  stop(): Promise<void>;
}

/**
 * Runs a job periodically, one round at a time. A round that is due while the previous one runs is skipped. A failed round
 * is logged as `failure`, and the next one runs as usual: the database may come back.
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
