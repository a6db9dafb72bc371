/**
 * Counts what the cache of clients finds under loads of several orders and sizes, here and in another checkout. Time plays no part.
 * Run: node bin/tool.mjs bench/caches.ts [CHECKOUT]
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Caches from '../src/spec/caches.ts';
import { terminalTable } from './table.ts';

const MEMORY_BYTES = 384 * 1024 * 1024;
/** The estimate for a client of the benchmarks. 57,969 of them fit. */
const CLIENT_BYTES = 2_570;
const ACTS = 1_200_000;
/** The generator of Park and Miller: the same numbers in each run. */
const [FACTOR, MODULUS, SEED] = [48_271, 2_147_483_647, 42];

type Order = (act: number, random: () => number, clients: number) => number;

const ORDERS: Readonly<Record<string, Order>> = {
  'in turn': (act, _random, clients) => act % clients,
  'in any order': (_act, random, clients) => Math.floor(random() * clients),
  'few often, many seldom (Zipf)': (_act, random, clients) => Math.floor(clients ** random()),
};

const LOADS = [
  ['in turn', 50_000],
  ['in any order', 50_000],
  ['in turn', 80_000],
  ['in any order', 80_000],
  ['few often, many seldom (Zipf)', 200_000],
  ['few often, many seldom (Zipf)', 1_000_000],
] as const;

/** Returns the share that is found in the second half of the load. */
function foundOf({ ProcessCaches }: typeof Caches, order: Order, clients: number): string {
  const map = new ProcessCaches(MEMORY_BYTES).open<number, object>('clients', { weigh: () => CLIENT_BYTES });
  let seed = SEED;
  const random = (): number => {
    seed = (seed * FACTOR) % MODULUS;
    return seed / MODULUS;
  };
  let found = 0;
  for (let act = 0; act < ACTS; act += 1) {
    const client = order(act, random, clients);
    if (map.get(client) === undefined) map.set(client, {});
    else if (act >= ACTS / 2) found += 1;
  }
  return `${((100 * found) / (ACTS / 2)).toFixed(1)} %`;
}

async function main([checkout]: readonly string[]): Promise<void> {
  const folders = [
    resolve(import.meta.dirname, '..'),
    ...(checkout === undefined ? [] : [resolve(checkout)]),
  ];
  const caches = await Promise.all(
    folders.map(
      async (folder) => (await import(pathToFileURL(`${folder}/src/spec/caches.ts`).href)) as typeof Caches,
    ),
  );
  const rows = LOADS.map(([order, clients]) => [
    `${clients.toLocaleString('en')} clients ${order}`,
    ...caches.map((each) => foundOf(each, ORDERS[order] as Order, clients)),
  ]);
  console.log(
    terminalTable([['found in memory', 'ours', 'the other checkout'].slice(0, caches.length + 1), ...rows]),
  );
}

await main(process.argv.slice(2));
