import type { Settings } from '../config/settings.ts';
import type { Log } from '../ports/log.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Storage } from '../ports/storage.ts';
import type { RememberedTime } from '../ports/time-memory.ts';
import { processElapsed, systemClock } from '../system/clock.ts';
import {
  type ClockDoubt,
  type ClockLimits,
  type GuardedClock,
  guardedClock,
} from '../system/guarded-clock.ts';
import { type Rounds, startRounds } from '../system/rounds.ts';

/** How often a process reports its clock to the database, at most. A confirmation takes as long to arrive. */
const SIGHTING_S = 10;

/** The clock of a process, guarded by the time that the database remembers (ADR 43). */
export interface ProcessClock extends GuardedClock {
  /** Reports the clock now and then, so that the database remembers the time. */
  start(): Rounds;
}

const clockLimits = (settings: Settings): ClockLimits => ({
  aheadMax: settings['clock.ahead-max'],
  behindMax: settings['clock.behind-max'],
  patience: settings['clock.patience'],
});

/** Compares the clock of this machine with a remembered time, as a server that starts now does. */
export function comparedClock(settings: Settings, remembered: RememberedTime | undefined): GuardedClock {
  const guarded = guardedClock(systemClock, processElapsed, clockLimits(settings));
  if (remembered !== undefined) guarded.learn(remembered);
  return guarded;
}

interface ProcessClockNeeds {
  readonly settings: Settings;
  readonly storage: Pick<Storage, 'time'>;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'set'>;
}

/** Compares the clock of the machine with the remembered time before anything is served or deleted. */
export async function openProcessClock(needs: ProcessClockNeeds): Promise<ProcessClock> {
  const { settings, storage, log, metrics } = needs;
  const guarded = comparedClock(settings, await storage.time.remembered());
  const say = doubtLog(log, metrics);
  const report = async (): Promise<void> => {
    if (guarded.isAccepted()) {
      log.warn({}, 'the clock is accepted: it was behind for as long as clock.patience says');
      await storage.time.confirm(systemClock.now());
    }
    guarded.learn(await storage.time.note(guarded.sighting()));
    say(guarded.doubt());
  };
  await report();
  return Object.assign(guarded, {
    start(): Rounds {
      const seconds = Math.min(SIGHTING_S, settings['storage.sweep-interval']);
      const rounds = startRounds(seconds, report, { log, failure: 'the time could not be remembered' });
      return {
        async stop() {
          await rounds.stop();
          // The next start compares its clock with this.
          await report().catch((cause: unknown) => log.error({ cause }, 'the time could not be remembered'));
        },
      };
    },
  });
}

/** Logs when a doubt begins and ends, and counts it. */
function doubtLog(log: Log, metrics: Pick<Metrics, 'set'>): (doubt: ClockDoubt | undefined) => void {
  let before: ClockDoubt['direction'] | undefined;
  return (doubt) => {
    const seconds = doubt?.seconds ?? 0;
    metrics.set('chancery_clock_doubt_seconds', {}, doubt?.direction === 'behind' ? -seconds : seconds);
    if (doubt?.direction === before) return;
    before = doubt?.direction;
    if (doubt === undefined) log.info({}, 'the clock agrees with the time that the database remembers');
    else log.error({ ...doubt }, doubtText(doubt));
  };
}

/** Says what an operator must know and do. */
export function doubtText({ direction, seconds, secondsLeft }: ClockDoubt): string {
  const until =
    secondsLeft === undefined
      ? 'until the clocks of this machine and of the database server agree'
      : `for ${secondsLeft} s`;
  return `the clock is ${seconds} s ${direction === 'ahead' ? 'ahead of' : 'behind'} the time that the database remembers: nothing is deleted and no key rotates ${until}. Set the clock, or run chancery clock confirm`;
}
