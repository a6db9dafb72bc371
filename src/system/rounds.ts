import type { Log } from '../ports/log.ts';

export interface Rounds {
  /** Begins no further round. Resolves when the running one has ended. */
  stop(): Promise<void>;
}

/** A timer may end this much too early, and after a long step even earlier. */
const EARLY_MS = 1;

interface Job {
  readonly interval_ms: number;
  /** When its next round begins, as `performance.now` counts. */
  due: number;
  readonly begin: () => void;
}

/** All jobs of the process share one alarm: an idle process wakes once for all that is due. */
const jobs = new Set<Job>();
let alarm: NodeJS.Timeout | undefined;

function setAlarm(): void {
  clearTimeout(alarm);
  if (jobs.size === 0) return;
  const next = Math.min(...[...jobs].map(({ due }) => due));
  alarm = setTimeout(ring, Math.ceil(next - performance.now()) + EARLY_MS).unref();
}

function ring(): void {
  const now = performance.now();
  for (const job of jobs) {
    if (job.due > now) continue;
    job.due = nextMultiple(job.interval_ms, now);
    job.begin();
  }
  setAlarm();
}

const nextMultiple = (interval_ms: number, now: number): number =>
  (Math.floor(now / interval_ms) + 1) * interval_ms;

/**
 * Runs a job periodically, one round at a time. Rounds begin at multiples of the interval since the process started, so that jobs
 * wake an idle process at the same moments: the first one comes after an interval at most. A round that is due while the previous
 * one runs is skipped. A failed round is logged as `failure`, and the next one runs as usual: the database may come back.
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
  const interval_ms = seconds * 1000;
  const job: Job = {
    interval_ms,
    due: nextMultiple(interval_ms, performance.now()),
    begin() {
      running ??= run();
    },
  };
  jobs.add(job);
  setAlarm();
  return {
    async stop() {
      jobs.delete(job);
      setAlarm();
      await running;
    },
  };
}
