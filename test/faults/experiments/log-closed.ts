import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOTH_ENGINES, type Experiment } from '../experiment.ts';
import { underFault } from '../under-fault.ts';

const CLOSED_MS = 3_000;

export const logClosed: Experiment = {
  name: 'log-closed',
  fault: 'F28 the log of one node is closed (EPIPE); that of another goes to a full disk (ENOSPC)',
  engines: BOTH_ENGINES,
  async run(stand) {
    const environment = { CHANCERY_LOG_LEVEL: 'debug' };
    const full = openSync('/dev/full', 'w');
    const nodes = [
      await stand.start({ environment }),
      await stand.start({ environment, standardError: full }),
    ];
    closeSync(full);
    return await underFault(stand, {
      nodes,
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        nodes[0]?.closeOutput();
        await sleep(CLOSED_MS);
      },
      expect: (figures) => (figures.times('during').failed > 0 ? ['requests failed for want of a log'] : []),
    });
  },
};
