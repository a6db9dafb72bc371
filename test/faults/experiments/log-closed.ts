import { closeSync, openSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { BOTH_ENGINES, type Experiment } from '../experiment.ts';
import { underFault } from '../under-fault.ts';

const CLOSED_MS = 3_000;

export const logClosed: Experiment = {
  name: 'log-closed',
  fault:
    'F28 the logs of two nodes, a socket and a pipe, are closed (EPIPE); that of a third goes to a full disk (ENOSPC)',
  engines: BOTH_ENGINES,
  acked_min: () => 100,
  async run(stand) {
    const environment = { CHANCERY_LOG_LEVEL: 'debug' };
    const full = openSync('/dev/full', 'w');
    const nodes = [
      await stand.start({ environment }),
      await stand.start({ environment, logPipe: true }),
      await stand.start({ environment, standardError: full }),
    ];
    const closed = nodes.slice(0, 2);
    const heardOf = (): readonly number[] => closed.map((node) => node.output().length);
    closeSync(full);
    const target = readlinkSync(`/proc/${nodes.at(-1)?.pid}/fd/2`);
    const heard: { before: readonly number[]; after: readonly number[] } = { before: [], after: [] };
    return await underFault(stand, {
      nodes,
      before_ms: 1_000,
      after_ms: 1_000,
      async fault() {
        heard.before = heardOf();
        for (const node of closed) node.closeOutput();
        await sleep(CLOSED_MS);
        heard.after = heardOf();
      },
      expect: (figures) => [
        ...(figures.times('during').failed > 0 ? ['requests failed for want of a log'] : []),
        ...closed.flatMap((_, index) =>
          (heard.before[index] ?? 0) === 0 || heard.after[index] !== heard.before[index]
            ? [`the log of node ${index + 1} was not cut`]
            : [],
        ),
        ...(target === '/dev/full' ? [] : [`the log of the last node goes to ${target}`]),
      ],
    });
  },
};
