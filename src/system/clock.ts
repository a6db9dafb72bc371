import type { Clock } from '../ports/clock.ts';

export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  milliseconds: () => Date.now(),
};
