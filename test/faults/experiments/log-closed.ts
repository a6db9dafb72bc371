import { closeSync, openSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOTH_ENGINES, type Experiment } from '../experiment.ts';
import { underFault } from '../under-fault.ts';

const CLOSED_MS = 3_000;

export const logClosed: Experiment = {
  name: 'log-closed',
  fault: 'F28 the log of one node is closed (EPIPE); that of another goes to a full disk (ENOSPC)',
  engines: BOTH_ENGINES,
  acked_min: () => 100,
  async run(stand) {
    const environment = { CHANCERY_LOG_LEVEL: 'debug' };
    const full = openSync('/dev/full', 'w');
    const nodes = [
      await stand.start({ environment }),
      await stand.start({ environment, standardError: full }),
    ];
    closeSync(full);
    const target = readlinkSync(`/proc/${nodes[1]?.pid}/fd/2`);
    const heard = { before: 0, after: 0 };
    return await underFault(stand, {
      nodes,
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        heard.before = nodes[0]?.output().length ?? 0;
        nodes[0]?.closeOutput();
        await sleep(CLOSED_MS);
        heard.after = nodes[0]?.output().length ?? 0;
      },
      expect: (figures) => [
        ...(figures.times('during').failed > 0 ? ['requests failed for want of a log'] : []),
        ...(heard.before === 0 || heard.after > heard.before
          ? ['the log of the first node was not cut']
          : []),
        ...(target === '/dev/full' ? [] : [`the log of the second node goes to ${target}`]),
      ],
    });
  },
};
