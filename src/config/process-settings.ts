import { integer, seconds } from './setting.ts';

/** How many processes serve, and how they end. */
export const PROCESS_SETTINGS = {
  workers: integer({
    default: 1,
    min: 1,
    max: 256,
    unit: 'processes',
    description:
      'How many processes of `chancery serve` share the listeners (`--workers N`); with more than one, another process looks after them, and answers health and metrics. Each has `storage.connections` and the memory of one server. Not in development, and on Linux and FreeBSD only.',
  }),
  'stop.delay': seconds({
    default: 0,
    min: 0,
    max: 600,
    description:
      'How long a server that was told to stop goes on as before while `/health/ready` is 503 already: longer than whoever sends it requests takes to notice.',
  }),
  'stop.deadline': seconds({
    default: 10,
    min: 1,
    max: 600,
    description:
      'How long a server that stops waits for requests under way, after `stop.delay`; then their connections are cut. Five seconds later it ends in any case, with exit code 1.',
  }),
};
