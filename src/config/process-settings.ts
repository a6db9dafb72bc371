import { integer, seconds } from './setting.ts';

/** Settings for the number of processes and for how they stop. */
export const PROCESS_SETTINGS = {
  workers: integer({
    default: 1,
    min: 1,
    max: 256,
    unit: 'processes',
    description:
      'The number of processes of `chancery serve` that share the listeners (`--workers N`). With more than one, a supervisor process restarts them and answers health and metrics. Workers divide the memory; each has its own `storage.connections`. Linux and FreeBSD only, not in development.',
  }),
  'stop.delay': seconds({
    default: 0,
    min: 0,
    max: 600,
    description:
      'Grace period between readiness turning 503 and the listener closing. Set it longer than the load balancer’s health-check interval.',
  }),
  'stop.deadline': seconds({
    default: 10,
    min: 1,
    max: 600,
    description:
      'How long a stopping server waits for requests under way, after `stop.delay`. It then closes their connections. If closing hangs, the process ends five seconds later with exit code 1.',
  }),
};
