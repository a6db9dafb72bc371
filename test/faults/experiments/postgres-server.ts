import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { administer, type TestServer } from '../../../src/testing/postgres/server.ts';
import type { Experiment } from '../experiment.ts';
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
  async run(stand) {
    const { port } = serverOf(stand);
    return await underFault(stand, {
      nodes: [await stand.start()],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        for (let time = 0; time < TERMINATIONS; time += 1) {
          await administer(port, 'postgres', TERMINATE);
          await sleep(200);
        }
      },
    });
  },
};

export const postgresConnections: Experiment = {
  name: 'postgres-connections',
  fault: 'F9 all connections of PostgreSQL are used up by others for three seconds, and ours are ended',
  engines: ['postgres'],
  async run(stand) {
    const { port } = serverOf(stand);
    return await underFault(stand, {
      nodes: [await stand.start()],
      before_ms: 2_000,
      after_ms: 2_000,
      async fault() {
        const others: Client[] = [];
        await useUp(stand.url, others);
        await administer(port, 'postgres', TERMINATE);
        await useUp(stand.url, others);
        await sleep(3_000);
        await Promise.all(others.map((client) => client.end()));
      },
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
        return max > SLOWEST_MS ? [`a request took ${Math.round(max)} ms`] : [];
      },
    });
  },
};
