import { setTimeout as sleep } from 'node:timers/promises';
import type { Program } from '../../program/start.ts';
import { startDelayingProxy } from '../delaying-proxy.ts';
import { type Experiment, milliseconds } from '../experiment.ts';
import { quantiles } from '../load-figures.ts';
import { underFault } from '../under-fault.ts';

const DELAYS_MS = [200, 2_000, 20_000] as const;
const EACH_MS = 5_000;
/** `storage.deadline`. */
const DEADLINE_MS = 2_000;
/** A request waits for the database no longer than the deadline in all, plus a second. */
const P99_MS = DEADLINE_MS + 1_000;
/** Writes wait behind a transaction that began before the database was quick again, and this one waits for its deadline. */
const RECOVERED_MS = DEADLINE_MS + 500;

export const databaseSlow: Experiment = {
  name: 'database-slow',
  fault: 'F14 each answer of the database is 200 ms late, then 2 s, then 20 s',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const { port } = stand.postgres ?? {};
    if (port === undefined) throw new Error('needs a database server of its own');
    const proxy = await startDelayingProxy(port);
    try {
      const url = stand.url.replace(`:${port}/`, `:${proxy.port}/`);
      const node = await stand.start({ environment: { CHANCERY_STORAGE_URL: url } });
      const keySet: number[] = [];
      const slowest: Record<string, string> = {};
      const outcome = await underFault(stand, {
        nodes: [node],
        workers: 32,
        before_ms: 2_000,
        after_ms: 2_000,
        settle_ms: 3_000,
        grace_ms: DEADLINE_MS,
        async fault({ figures }) {
          for (const delay_ms of DELAYS_MS) {
            proxy.delay_ms = delay_ms;
            await watchKeySet(node, keySet);
            const { answered, failed, max } = figures.times('during');
            slowest[`so far, ${delay_ms} ms late`] =
              `${answered} answered, ${failed} failed, slowest ${milliseconds(max)}`;
          }
          proxy.delay_ms = 0;
        },
        expect(figures) {
          const { p99 } = figures.times('during');
          const recovered = figures.firstSuccess_ms ?? Number.POSITIVE_INFINITY;
          const slowestKeySet = quantiles(keySet.toSorted((one, other) => one - other)).max;
          return [
            ...(figures.times('during').max < DELAYS_MS[0] ? ['no answer was late'] : []),
            ...(recovered > RECOVERED_MS ? [`the first write was ${Math.round(recovered)} ms late`] : []),
            ...(p99 > P99_MS ? [`p99 of all requests: ${Math.round(p99)} ms`] : []),
            ...(slowestKeySet > 2 * DEADLINE_MS ? [`/jwks.json took ${Math.round(slowestKeySet)} ms`] : []),
          ];
        },
      });
      const { p99, max } = quantiles(keySet.toSorted((one, other) => one - other));
      const ofKeySet = `${keySet.length} answered, p99 ${milliseconds(p99)}, slowest ${milliseconds(max)}`;
      return { ...outcome, figures: { ...slowest, '/jwks.json': ofKeySet, ...outcome.figures } };
    } finally {
      await proxy.close();
    }
  },
};

/** Reads the key set again and again. The answer is late while the database does not confirm that the set is unchanged. */
async function watchKeySet(node: Program, times: number[]): Promise<void> {
  const until = performance.now() + EACH_MS;
  while (performance.now() < until) {
    const started = performance.now();
    const answer = await fetch(`${node.url}/jwks.json`, { signal: AbortSignal.timeout(10_000) });
    await answer.arrayBuffer();
    if (answer.status !== 200) times.push(Number.POSITIVE_INFINITY);
    times.push(performance.now() - started);
    await sleep(50);
  }
}
