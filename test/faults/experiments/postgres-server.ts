import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { administer, type TestServer } from '../../../src/testing/postgres/server.ts';
import { type Experiment, HAPPENED } from '../experiment.ts';
import type { Stand } from '../stand.ts';
import { underFault } from '../under-fault.ts';

function serverOf({ postgres }: Stand): TestServer {
  if (postgres === undefined) throw new Error('needs a database server of its own');
  return postgres;
}

const RESTARTS = { fast: 'SIGINT', immediate: 'SIGQUIT', crash: 'SIGKILL' } as const;

/** PostgreSQL documentation, "Shutting Down the Server": SIGINT is the fast shutdown, SIGQUIT the immediate one. */
export const postgresRestart: Experiment = {
  name: 'postgres-restart',
  fault: 'F9 PostgreSQL is restarted: fast, immediate, and after kill -9',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const server = serverOf(stand);
    const nodes = [await stand.start(), await stand.start()];
    return await underFault(stand, {
      nodes,
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        for (const signal of Object.values(RESTARTS)) {
          await server.end(signal);
          await sleep(500);
          await server.start();
          await sleep(1_500);
        }
      },
      expect: (figures) => (figures.times('during').failed > 0 ? [] : ['no request met a restart']),
    });
  },
};

const TERMINATIONS = 10;
const TERMINATE =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chancery'";

export const postgresTerminated: Experiment = {
  name: 'postgres-terminated',
  fault: 'F9 every connection is ended by pg_terminate_backend, ten times',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const { port } = serverOf(stand);
    let terminated = 0;
    return await underFault(stand, {
      nodes: [await stand.start()],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        for (let time = 0; time < TERMINATIONS; time += 1) {
          terminated += (await administer(port, 'postgres', TERMINATE)).length;
          await sleep(200);
        }
      },
      expect: () =>
        terminated < TERMINATIONS ? [`only ${terminated} connections were there to be ended`] : [],
    });
  },
};

export const postgresConnections: Experiment = {
  name: 'postgres-connections',
  fault: 'F9 all connections of PostgreSQL are used up by others for three seconds, and ours are ended',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const { port } = serverOf(stand);
    const happened = { terminated: 0, others: 0 };
    return await underFault(stand, {
      nodes: [await stand.start()],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        const others: Client[] = [];
        await useUp(stand.url, others);
        happened.terminated = (await administer(port, 'postgres', TERMINATE)).length;
        await useUp(stand.url, others);
        happened.others = others.length;
        await sleep(3_000);
        await Promise.all(others.map((client) => client.end()));
      },
      expect: () =>
        happened.terminated === 0 || happened.others === 0
          ? [`${happened.terminated} connections ended, ${happened.others} used up by others`]
          : [],
    });
  },
};

async function useUp(connectionString: string, others: Client[]): Promise<void> {
  for (;;) {
    const client = new Client({ connectionString });
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return;
    }
    others.push(client);
  }
}

const STOPPED_MS = 6_000;
/** `storage.deadline` is 2,000; the rest is for a machine that does other things too. */
const SLOWEST_MS = 3_000;
const DEADLINE_MS = 2_000;

export const postgresStopped: Experiment = {
  name: 'postgres-stopped',
  fault: 'F9 the whole of PostgreSQL is stopped (SIGSTOP) for six seconds, and goes on',
  engines: ['postgres'],
  acked_min: () => 100,
  async run(stand) {
    const server = serverOf(stand);
    return await underFault(stand, {
      nodes: [await stand.start()],
      workers: 32,
      before_ms: 2_000,
      after_ms: 2_000,
      settle_ms: 3_000,
      grace_ms: DEADLINE_MS,
      async fault() {
        server.signal('SIGSTOP');
        await sleep(STOPPED_MS);
        server.signal('SIGCONT');
      },
      expect(figures) {
        const { max } = figures.times('during');
        return [
          ...(max > SLOWEST_MS ? [`a request took ${Math.round(max)} ms`] : []),
          ...(figures.writeGap_ms < STOPPED_MS * HAPPENED ? ['writes went on while it was stopped'] : []),
        ];
      },
    });
  },
};
