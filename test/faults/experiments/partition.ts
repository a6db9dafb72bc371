import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openPostgresSchema } from '../../../src/storage/postgres/migrations.ts';
import { startTestServer } from '../../../src/testing/postgres/server.ts';
import type { Program } from '../../program/start.ts';
import type { Experiment, Outcome, Skipped } from '../experiment.ts';
import type { LoadFigures } from '../load-figures.ts';
import { type Link, type NodeNetwork, noNetwork, openNodeNetwork } from '../network.ts';
import type { Stand } from '../stand.ts';
import { readiness, underFault } from '../under-fault.ts';

const CUT_MS = 5_000;
const MENDED_MS = 2_500;
/** `storage.deadline`. */
const DEADLINE_MS = 2_000;
/** For a request that meets a cut: the deadline, a second, and what a machine that does other things too takes. */
const SLOWEST_MS = 2 * DEADLINE_MS;

/** The nodes of an experiment while a fault lasts. */
interface Watched {
  readonly networks: readonly [NodeNetwork, NodeNetwork];
  readonly nodes: readonly [Program, Program];
  /** Expectations that did not hold. */
  readonly wrong: string[];
}

export const partitionDatabase: Experiment = {
  name: 'partition-database',
  fault:
    'F13 one of two nodes loses the database: packets to it, from it, both; then both nodes; a slow link; resets',
  engines: ['postgres'],
  acked_min: () => 500,
  run: (stand) =>
    inNetworks(
      stand,
      async ({ networks, nodes, wrong }) => {
        const [{ database: one }, { database: two }] = networks;
        for (const ends of [['node'], ['host'], ['node', 'host']] as const) {
          for (const end of ends) one.cut(end);
          await sleep(CUT_MS);
          await expectReadiness(
            nodes[0],
            503,
            `the node that lost the database (${ends.join(' and ')})`,
            wrong,
          );
          await expectReadiness(nodes[1], 200, 'the other node', wrong);
          one.mend();
          await sleep(MENDED_MS);
        }
        for (const link of [one, two]) link.cut('host');
        await sleep(CUT_MS);
        for (const link of [one, two]) link.mend();
        await sleep(MENDED_MS);
        one.slow(64);
        await sleep(CUT_MS);
        one.mend();
        await resetOften(one, wrong);
      },
      ({ max }) => (max > SLOWEST_MS ? [`a request took ${Math.round(max)} ms`] : []),
    ),
};

export const partitionClients: Experiment = {
  name: 'partition-clients',
  fault: 'F13 the clients of one of two nodes lose it: packets to it, from it, both; a slow link; resets',
  engines: ['postgres'],
  acked_min: () => 500,
  run: (stand) =>
    inNetworks(stand, async ({ networks: [{ clients }], nodes, wrong }) => {
      for (const ends of [['node'], ['host'], ['node', 'host']] as const) {
        for (const end of ends) clients.cut(end);
        await sleep(CUT_MS);
        await expectReadiness(nodes[0], 0, 'the node without its clients', wrong);
        await expectReadiness(nodes[1], 200, 'the other node', wrong);
        clients.mend();
        await sleep(MENDED_MS);
      }
      clients.slow(64);
      await sleep(CUT_MS);
      clients.mend();
      await resetOften(clients, wrong);
    }),
};

async function resetOften(link: Link, wrong: string[]): Promise<void> {
  let connections = 0;
  for (let time = 0; time < 10; time += 1) {
    connections += link.reset();
    await sleep(200);
  }
  if (connections === 0) wrong.push('no connection was reset');
}

async function expectReadiness(node: Program, status: number, who: string, wrong: string[]): Promise<void> {
  const found = await readiness(node);
  if (found !== status) wrong.push(`/health/ready of ${who} is ${found}, expected ${status}`);
}

/** Two nodes in network namespaces of their own, under the mixed load. */
async function inNetworks(
  stand: Stand,
  fault: (watched: Watched) => Promise<void>,
  expect: (times: ReturnType<LoadFigures['times']>) => readonly string[] = () => [],
): Promise<Outcome | Skipped> {
  const skipped = noNetwork();
  if (skipped !== undefined) return { skipped };
  const folder = mkdtempSync(join(tmpdir(), 'chancery-networks-'));
  const networks: NodeNetwork[] = [];
  const server = await startTestServer({
    settings: { listen_addresses: '*' },
    files: { 'pg_hba.conf': 'host all all 127.0.0.1/32 trust\nhost all all 10.213.0.0/16 trust\n' },
  });
  try {
    stand.url = await server.createDatabase();
    const schema = openPostgresSchema(stand.url, 5_000);
    await schema.up(0);
    await schema.close();
    const nodeOn = async (index: number): Promise<readonly [NodeNetwork, Program]> => {
      const network = openNodeNetwork(index, folder);
      networks.push(network);
      const url = stand.url.replace('127.0.0.1', network.database.host);
      const { runtime, clients } = network;
      const environment = { CHANCERY_STORAGE_URL: url };
      return [network, await stand.start({ environment, runtime, host: clients.node })];
    };
    const [[networkOne, one], [networkTwo, two]] = [await nodeOn(1), await nodeOn(2)];
    const wrong: string[] = [];
    return await underFault(stand, {
      nodes: [one, two],
      workers: 16,
      before_ms: 2_000,
      after_ms: 3_000,
      settle_ms: 3_000,
      grace_ms: 2 * DEADLINE_MS,
      fault: () => fault({ networks: [networkOne, networkTwo], nodes: [one, two], wrong }),
      expect: (figures) => [...wrong, ...expect(figures.times('during'))],
    });
  } finally {
    await stand.end();
    await server.stop();
    for (const network of networks) network.remove();
    rmSync(folder, { recursive: true });
  }
}
