import type { Clock } from '../ports/clock.ts';

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  milliseconds: () => Date.now(),
};

/** A monotonic clock: setting the time of day does not change it. Seconds since an arbitrary start. */
export interface Elapsed {
  readonly seconds: () => number;
}

export const processElapsed: Elapsed = { seconds: () => performance.now() / 1000 };

interface Reading {
  readonly elapsed: number;
  /** How far the wall clock was ahead of the monotonic one, in seconds. */
  readonly offset: number;
}

/** A clock that follows a jump ahead only after a time. */
export interface PatientClock extends Clock {
  /**
   * Goes on from the time `at`, in seconds. Everything that the other clock is ahead of that is a jump.
   * @param waited seconds for which this jump has lasted already
   */
  restart(at: number, waited: number): void;
  /** Returns the seconds for which the other clock has been ahead; 0 if it is not. */
  waited(): number;
}

/**
 * Returns a clock for deletions, which cannot be undone when a wrong clock is corrected. It follows `clock` at once if that is
 * set back, and only after `patience` seconds if it jumps ahead. Records with a lifetime shorter than the patience are kept
 * for exactly that lifetime. It learns of jumps when it is read, so read it now and then.
 */
export function patientClock(clock: Clock, elapsed: Elapsed, patience: number): PatientClock {
  // The readings of the last `patience` seconds that no later one is below: the first is the lowest.
  let readings: readonly Reading[] = [];
  const milliseconds = (): number => {
    const now = elapsed.seconds();
    const reading = { elapsed: now, offset: clock.milliseconds() / 1000 - now };
    const young = readings.filter((one) => one.elapsed >= now - patience && one.offset < reading.offset);
    readings = [...young, reading];
    return Math.round((now + (readings[0] ?? reading).offset) * 1000);
  };
  milliseconds();
  return {
    milliseconds,
    now: () => Math.floor(milliseconds() / 1000),
    restart(at, waited) {
      const now = elapsed.seconds();
      readings = [{ elapsed: now - waited, offset: at - now }];
      milliseconds();
    },
    waited() {
      milliseconds();
      const [first, ...later] = readings;
      return first === undefined || later.length === 0 ? 0 : elapsed.seconds() - first.elapsed;
    },
  };
}
