import { setTimeout as sleep } from 'node:timers/promises';
import type { Experiment } from '../experiment.ts';
import { list } from '../registry-calls.ts';
import { startStandby } from '../standby.ts';
import { underFault } from '../under-fault.ts';

const PAUSED_MS = 4_000;
const AWAY_MS = 4_000;

/** Everything but the list is read from the primary; the list too, while the standby is away. */
export const replica: Experiment = {
  name: 'replica',
  fault: 'F15 the standby for lists lags by four seconds, and is then gone',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const { port } = stand.postgres ?? {};
    if (port === undefined) throw new Error('needs a database server of its own');
    const standby = await startStandby(port);
    try {
      const replicaUrl = stand.url.replace(`:${port}/`, `:${standby.port}/`);
      const node = await stand.start({ environment: { CHANCERY_STORAGE_REPLICA_URL: replicaUrl } });
      const listed = { fresh: 0, lagging: 0, away: 0 };
      const outcome = await underFault(stand, {
        nodes: [node],
        before_ms: 2_000,
        after_ms: 2_000,
        async fault() {
          await standby.pause();
          listed.fresh = (await list(node)).length;
          await sleep(PAUSED_MS);
          listed.lagging = (await list(node)).length;
          await standby.resume();
          await standby.kill();
          await sleep(AWAY_MS);
          listed.away = (await list(node)).length;
        },
        expect: (figures) => [
          ...(listed.lagging === listed.fresh ? [] : ['the standby for lists did not lag']),
          ...(listed.away > listed.lagging ? [] : ['the list does not come from the primary']),
          ...(figures.times('during').failed > 0 ? ['requests failed for want of a standby'] : []),
        ],
      });
      const counts = `${listed.fresh} / ${listed.lagging} / ${listed.away}`;
      return {
        ...outcome,
        figures: { 'clients listed: lag begins / ends / away': counts, ...outcome.figures },
      };
    } finally {
      await standby.stop();
    }
  },
};
