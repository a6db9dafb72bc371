import type { Benchmark } from '../subject.ts';
import { listSubject } from './list.ts';

/** It is filled through the storage floor, with a durable commit for each batch. */
const FEWER = 10;

/** The whole registry as one JSON array, from either engine. */
export const listOnPostgres: Benchmark = {
  name: 'list',
  title: 'PostgreSQL: list of all clients, clients a second',
  unit: 'per second',
  needsTokens: false,
  aims: [],
  rounds: (scale) => scale.lists,
  async open(bench) {
    const clients = bench.scale.manyClients / FEWER;
    const postgres = bench.postgres();
    const registry = await postgres.registry(clients);
    const onPostgres = listSubject('ours, PostgreSQL', registry, clients, postgres.cpuSeconds);
    return [
      { ...onPostgres, close: async () => await registry.program.stop() },
      listSubject('ours, SQLite', await bench.registry(clients), clients),
    ];
  },
};
