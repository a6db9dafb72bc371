import { seconds } from './setting.ts';

const MINUTE = 60;
const HOUR = 3600;
const YEAR = 31_536_000;

/** When the server doubts the clock of its machine (ADR 43). */
export const CLOCK_SETTINGS = {
  'clock.ahead-max': seconds({
    default: 30 * MINUTE,
    min: MINUTE,
    max: 10 * YEAR,
    description:
      'How far the clock may be ahead of the latest time that the database remembers. Beyond it the server serves, but deletes nothing and rotates no key. The remembered time stands still while no server runs, so a longer stop raises the same doubt. Set it longer if your servers stop for hours and their clocks are right at the start.',
  }),
  'clock.behind-max': seconds({
    default: 5 * MINUTE,
    min: 10,
    max: HOUR,
    description:
      'How far the clock may be behind the latest time that the database remembers. Beyond it the server goes on from the remembered time, so that nothing expired or used becomes good again, and deletes nothing. The same limit says when the clock of a PostgreSQL server contradicts.',
  }),
  'clock.patience': seconds({
    default: 25 * HOUR,
    min: MINUTE,
    max: 10 * YEAR,
    description:
      'How long servers must run with a doubtful clock until they believe it. `chancery clock confirm` ends the wait. Keep it longer than `assertion-grants.lifetime-max`: used assertions that have expired by a wrong clock are forgotten after it. A clock that a PostgreSQL server contradicts is not believed at all.',
  }),
};
