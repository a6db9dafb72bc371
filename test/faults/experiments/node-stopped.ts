import { setTimeout as sleep } from 'node:timers/promises';
import { BOTH_ENGINES, type Experiment, HAPPENED } from '../experiment.ts';
import { underFault } from '../under-fault.ts';

const STOPPED_MS = 5_000;

/** The requests of the stopped node continue when it wakes. The other node may have used the same token by then. */
export const nodeStopped: Experiment = {
  name: 'node-stopped',
  fault: 'F26 one of two nodes is stopped (SIGSTOP) for five seconds in the midst of its requests',
  engines: BOTH_ENGINES,
  acked_min: () => 100,
  async run(stand) {
    const awake = await stand.start();
    const stopped = await stand.start();
    return await underFault(stand, {
      nodes: [awake, stopped],
      workers: 16,
      before_ms: 2_000,
      after_ms: 2_000,
      settle_ms: 3_000,
      async fault() {
        stopped.signal('SIGSTOP');
        await sleep(STOPPED_MS);
        stopped.signal('SIGCONT');
      },
      expect: (figures) =>
        figures.times('during').max < STOPPED_MS * HAPPENED ? ['no request met the stopped node'] : [],
    });
  },
};
