import { type Clock } from '../ports/clock.ts';

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  milliseconds: () => Date.now(),
};

/** A clock that counts on whatever is done to the time of day. Seconds from any beginning. */
export interface Elapsed {
  seconds(): number;
}

export const processElapsed: Elapsed = { seconds: () => performance.now() / 1000 };

interface Reading {
  readonly elapsed: number;
  /** How far the clock was ahead of what had elapsed. */
  readonly offset: number;
}

/**
 * A clock that follows another at once when that is set back, and only after `patience` seconds when it jumps ahead: for
 * deletions, which a clock that is set right again does not undo. What was to be kept for less than the patience is kept
 * for as long as it would have been. Each reading of it is one of the other clock, so it must be read now and then.
 */
export function patientClock(clock: Clock, elapsed: Elapsed, patience: number): Clock {
  // Of the readings of that time those that no later one undercuts: the first is the lowest.
  let readings: readonly Reading[] = [];
  const milliseconds = (): number => {
    const now = elapsed.seconds();
    const reading = { elapsed: now, offset: clock.milliseconds() / 1000 - now };
    const young = readings.filter((one) => one.elapsed >= now - patience && one.offset < reading.offset);
    readings = [...young, reading];
    return Math.round((now + (readings[0] ?? reading).offset) * 1000);
  };
  milliseconds();
  return { milliseconds, now: () => Math.floor(milliseconds() / 1000) };
}
