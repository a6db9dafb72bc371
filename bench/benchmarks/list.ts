import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { requestHead, requests, share } from '../http-subject.ts';
import { introspectionByOne } from '../introspection-load.ts';
import { cpuSeconds, type Memory, memory } from '../processes/measured-process.ts';
import type { Registry } from '../registry.ts';
import type { Benchmark, Figure, Subject } from '../subject.ts';

const MEMORY_AIM_MIB = 64;
const RATE_AIM = 150_000;
const ENTRY = Buffer.from('{"client_id":"');

const listHead = ({ program }: Registry): string =>
  requestHead('GET', '/clients', { authorization: `Bearer ${program.masterToken}` });

/** Reads a whole list as fast as it comes. @returns how many clients it holds */
async function readList(registry: Registry): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const socket = connect({ host: '127.0.0.1', port: registry.program.port });
  let entries = 0;
  let tail = Buffer.alloc(0);
  let head = '';
  socket.on('data', (chunk: Buffer) => {
    if (head === '') head = chunk.toString('latin1', 0, 12);
    const bytes = Buffer.concat([tail, chunk]);
    for (let at = bytes.indexOf(ENTRY); at !== -1; at = bytes.indexOf(ENTRY, at + ENTRY.length)) entries += 1;
    tail = bytes.subarray(1 - ENTRY.length);
    if (!tail.toString('latin1').endsWith('\r\n0\r\n\r\n')) return;
    socket.destroy();
    resolve(entries);
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('the list was cut off')));
  socket.write(`${listHead(registry)}\r\n`);
  const found = await promise;
  assert.equal(head, 'HTTP/1.1 200');
  return found;
}

async function measureList(
  registry: Registry,
  clients: number,
  used: Memory,
  databaseCpu?: () => number | undefined,
): Promise<Figure> {
  const { pid } = registry.program;
  const before = cpuSeconds(pid) ?? Number.NaN;
  const databaseBefore = databaseCpu?.();
  const begun = performance.now();
  assert.equal(await readList(registry), clients);
  const seconds = (performance.now() - begun) / 1000;
  return {
    value: clients / seconds,
    serverCpu: ((cpuSeconds(pid) ?? Number.NaN) - before) / seconds,
    ...share('databaseCpu', databaseBefore, databaseCpu?.(), seconds),
    ...used.peak(),
  };
}

/** The whole registry as one JSON array. */
export const list: Benchmark = {
  name: 'list',
  title: 'List of all clients, clients a second',
  unit: 'per second',
  needsTokens: false,
  needsManyClients: true,
  aims: [{ atLeast: RATE_AIM }, { of: 'memory_mib', atMost: MEMORY_AIM_MIB }],
  rounds: (scale) => scale.lists,
  async open(bench) {
    const clients = bench.scale.manyClients;
    return [listSubject('ours, SQLite', await bench.registry(clients), clients)];
  },
};

export function listSubject(
  name: string,
  registry: Registry,
  clients: number,
  databaseCpu?: () => number | undefined,
): Subject {
  const { pid } = registry.program;
  // Counts from before the first list: the process keeps what the uncounted one takes.
  const used = memory(pid);
  return {
    name: `${name}, ${clients.toLocaleString('en')} clients`,
    measure: async () => await measureList(registry, clients, used, databaseCpu),
    close: async () => undefined,
  };
}

/** Introspection by one client, while a list streams and without it. */
export const besideList: Benchmark = {
  name: 'list',
  title: 'Introspection while all clients are listed',
  unit: 'per second',
  needsTokens: false,
  needsManyClients: true,
  aims: [{ against: 'alone' }, { of: 'p99_ms', against: 'alone', atMost: 1.3 }],
  rounds: (scale) => scale.rounds,
  async open(bench) {
    const registry = await bench.registry(bench.scale.manyClients);
    const beside = { port: registry.program.port, requests: requests(listHead(registry), ['']) };
    return [
      await introspectionByOne(bench, registry, 'while a list streams', beside),
      await introspectionByOne(bench, registry, 'alone'),
    ];
  },
};
