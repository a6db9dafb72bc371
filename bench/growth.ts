/**
 * Measures what each further client, token, tenant and node costs, in bytes and in CPU time of a look-up, on both engines
 * (docs/operate/growth.md). Run: npm run growth -- [--clients N,N] [--tokens N,N] [--tenants N] [--load SECONDS]
 * [--engines sqlite,postgres] [--results FILE]. `--load` also compares the answer times of a mixed load on the grown database with those on a small one.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { StoredAccessToken } from '../src/ports/access-token-store.ts';
import { ProcessCaches } from '../src/spec/caches.ts';
import {
  type AccessTokenKey,
  type ClientId,
  DEFAULT_TENANT,
  type TenantId,
} from '../src/spec/identifiers.ts';
import { withRecordCache } from '../src/storage/record-cache.ts';
import { addTenant } from '../src/testing/storage/add-tenant.ts';
import { type GrowthEngine, postgresGrowth, sqliteGrowth } from './growth-engine.ts';
import { compareLoads, LOADED_TOKENS, start } from './growth-load.ts';
import { type Caller, register } from './ours.ts';
import type { Place } from './place.ts';
import { originOf, resultsPath, writeResults } from './results-file.ts';
import { seed } from './seed.ts';
import { seedClients } from './seed-clients.ts';
import { type Cells, markdownTable } from './table.ts';

const CALLERS = 64;
const LOOK_UP_MS = 2_000;
const IDLE_MS = 10_000;
/** Tokens that are issued durably, as the program does it. */
const ISSUED = 6_400;
/** Records that are looked up and kept in memory. */
const KEPT = 20_000;
/** More than these records take. */
const CACHES_BYTES = 1024 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

interface Sizes {
  readonly clients: readonly number[];
  readonly tokens: readonly number[];
  readonly tenants: number;
  /** Seconds of a load on a small and on the grown database; none without. */
  readonly load_s: number;
}

/** The figures of one engine, by their names. */
type Found = Map<string, string>;
type Tokens = readonly string[];

async function measureEngine(engine: GrowthEngine, sizes: Sizes): Promise<Found> {
  const found: Found = new Map();
  const { caller, issuer } = await firstStart(engine, found);
  const client_id = caller.client_id as ClientId;
  await growClients(engine, found, client_id, sizes.clients);
  const tokens = await growTokens(engine, found, { client_id, issuer, sizes: sizes.tokens });
  if (sizes.load_s > 0) {
    const many = `${count(sizes.clients.at(-1) ?? 0)} clients and ${count(sizes.tokens.at(-1) ?? 0)} tokens`;
    await compareLoads({ engine, caller, tokens, seconds: sizes.load_s }, many, found);
  }
  await growTenants(engine, found, sizes.tenants);
  return found;
}

async function firstStart(
  engine: GrowthEngine,
  found: Found,
): Promise<{ readonly caller: Caller; readonly issuer: string }> {
  const program = await start(engine);
  const caller = await register(program);
  await sleep(1000);
  found.set('memory of an idle node (resident set)', mebibytes(residentBytes(program.pid)));
  const before = await engine.transactions();
  await sleep(IDLE_MS);
  const after = await engine.transactions();
  if (before !== undefined && after !== undefined) {
    found.set('transactions a second of an idle node', (((after - before) / IDLE_MS) * 1000).toFixed(1));
  }
  await program.stop();
  return { caller, issuer: program.issuer };
}

async function growClients(
  engine: GrowthEngine,
  found: Found,
  example: ClientId,
  sizes: readonly number[],
): Promise<void> {
  let there = 0;
  for (const size of sizes) {
    const [bytes, log] = [await engine.bytes(), await engine.logBytes()];
    const added = size - there;
    const seeded = await seedClients({
      place: engine.place,
      example,
      clients: added,
      kept: Math.min(added, KEPT),
    });
    const logAfter = await engine.logBytes();
    const grown = ((await engine.bytes()) - bytes) / added;
    found.set(
      `each further client, up to ${count(size)}: disk, with its indexes and its audit event`,
      inBytes(grown),
    );
    if (log !== undefined && logAfter !== undefined)
      found.set(
        `each further client, up to ${count(size)}: write-ahead log`,
        inBytes((logAfter - log) / added),
      );
    const ids = seeded.map(({ client_id }) => client_id as ClientId);
    found.set(
      `look-up of a client among ${count(size)}, CPU`,
      await lookUps(engine, ids, (tenant) => tenant.clients),
    );
    found.set(
      'each further client in memory (`cache.clients`)',
      await kept(engine, ids, (tenant) => tenant.clients),
    );
    there = size;
  }
}

/** Returns tokens from everywhere among those of the last step. */
async function growTokens(
  engine: GrowthEngine,
  found: Found,
  {
    client_id,
    issuer,
    sizes,
  }: { readonly client_id: ClientId; readonly issuer: string; readonly sizes: readonly number[] },
): Promise<Tokens> {
  let there = 0;
  let tokens: Tokens = [];
  for (const size of sizes) {
    const bytes = await engine.bytes();
    const added = size - there;
    const keys: AccessTokenKey[] = [];
    const every = Math.max(1, Math.floor(added / KEPT));
    const place = tapped(engine.place, every, keys);
    const loaded = Math.min(added, LOADED_TOKENS);
    ({ tokens } = await seed({ place, issuer, client_id, tokens: added, kept: loaded, selfContained: 0 }));
    const grown = ((await engine.bytes()) - bytes) / added;
    found.set(`each further access token, up to ${count(size)}: disk, with its indexes`, inBytes(grown));
    found.set(
      `look-up of an access token among ${count(size)}, CPU`,
      await lookUps(engine, keys, (tenant) => tenant.accessTokens),
    );
    found.set(
      'each further access token in memory (`cache.access-tokens`)',
      await kept(engine, keys, (tenant) => tenant.accessTokens),
    );
    there = size;
    const example = keys[0];
    if (size === sizes.at(-1) && example !== undefined) await issueSome(engine, found, example);
  }
  return tokens;
}

/** Keeps some of the keys that pass. */
function tapped(place: Place, every: number, keys: AccessTokenKey[]): Place {
  function* tap(records: Iterable<StoredAccessToken>): Generator<StoredAccessToken> {
    let index = 0;
    for (const record of records) {
      if (index % every === 0) keys.push(record.key);
      index += 1;
      yield record;
    }
  }
  return { ...place, insertTokens: async (records) => await place.insertTokens(tap(records)) };
}

async function issueSome(engine: GrowthEngine, found: Found, example: AccessTokenKey): Promise<void> {
  const log = await engine.logBytes();
  if (log === undefined) return;
  const storage = await engine.place.open();
  const { accessTokens } = storage.forTenant(DEFAULT_TENANT);
  const token = await accessTokens.find(example);
  if (token === undefined) throw new Error('the token is not found');
  for (let issued = 0; issued < ISSUED; issued += CALLERS) {
    const another = (index: number): AccessTokenKey =>
      `z${String(issued + index).padStart(10, '0')}${token.key.slice(11)}` as AccessTokenKey;
    await Promise.all(
      Array.from({ length: CALLERS }, async (_, index) => {
        await accessTokens.issue({ ...token, key: another(index) });
      }),
    );
  }
  await storage.close();
  found.set(
    'each further access token: write-ahead log',
    inBytes((((await engine.logBytes()) ?? Number.NaN) - log) / ISSUED),
  );
}

type TenantStores = ReturnType<Awaited<ReturnType<Place['open']>>['forTenant']>;
interface Finder<Key> {
  find(key: Key): unknown;
}

/** Looks records up without a cache, 64 callers at a time. @returns CPU time of this process, and of the database server */
async function lookUps<Key>(
  engine: GrowthEngine,
  keys: readonly Key[],
  storeOf: (tenant: TenantStores) => Finder<Key>,
): Promise<string> {
  const storage = await engine.place.open();
  const store = storeOf(storage.forTenant(DEFAULT_TENANT));
  await lookUpFor(LOOK_UP_MS / 4, keys, store);
  const [cpu, database] = [process.cpuUsage(), engine.databaseCpu()];
  const done = await lookUpFor(LOOK_UP_MS, keys, store);
  const { user, system } = process.cpuUsage(cpu);
  const databaseAfter = engine.databaseCpu();
  await storage.close();
  const own = ((user + system) / done).toFixed(1);
  if (database === undefined || databaseAfter === undefined) return `${own} µs`;
  return `${own} + ${(((databaseAfter - database) / done) * 1e6).toFixed(1)} µs`;
}

async function lookUpFor<Key>(
  milliseconds: number,
  keys: readonly Key[],
  store: Finder<Key>,
): Promise<number> {
  const until = performance.now() + milliseconds;
  let done = 0;
  while (performance.now() < until) {
    const asked = Array.from({ length: CALLERS }, (_, index) => keys[(done + index) % keys.length]);
    const answers = await Promise.all(
      asked.map(async (key) => (key === undefined ? undefined : await store.find(key))),
    );
    if (answers.includes(undefined)) throw new Error('a stored record is not found');
    done += CALLERS;
  }
  return done;
}

/** Returns how much the heap grows for each record that the cache keeps. */
async function kept<Key>(
  engine: GrowthEngine,
  keys: readonly Key[],
  storeOf: (tenant: TenantStores) => Finder<Key>,
): Promise<string> {
  const storage = await engine.place.open();
  const limits = { clients: undefined, accessTokens: undefined };
  const caches = new ProcessCaches(CACHES_BYTES);
  const store = storeOf(withRecordCache(storage.forTenant(DEFAULT_TENANT), limits, caches));
  await store.find(keys[0] as Key);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  for (let done = 0; done < keys.length; done += CALLERS)
    await Promise.all(keys.slice(done, done + CALLERS).map(async (key) => await store.find(key)));
  collectGarbage();
  const grown = process.memoryUsage().heapUsed - before;
  await store.find(keys[0] as Key);
  await storage.close();
  return inBytes(grown / keys.length);
}

async function growTenants(engine: GrowthEngine, found: Found, tenants: number): Promise<void> {
  const ids = Array.from({ length: tenants }, (_, index) => `t${index}` as TenantId);
  const bytes = await engine.bytes();
  const storage = await engine.place.open();
  for (const id of ids) await addTenant(storage, { id, issuer: `https://op.example.com/${id}` });
  await storage.close();
  const program = await start(engine, tenants);
  await sleep(1000);
  const before = residentBytes(program.pid);
  for (const id of ids) {
    const answer = await fetch(`${program.url}/${id}/.well-known/openid-configuration`);
    if (answer.status !== 200) throw new Error(`tenant ${id}: ${answer.status}`);
  }
  await sleep(1000);
  found.set(
    `each further open tenant (of ${tenants}): memory`,
    mebibytes((residentBytes(program.pid) - before) / tenants),
  );
  const backends = await engine.backendBytes();
  if (backends.length > 0) {
    const all = backends.reduce((sum, each) => sum + each, 0);
    found.set('each further connection: memory of its backend', mebibytes(all / backends.length));
  }
  await program.stop();
  found.set(
    'each further tenant: disk, with its seven keys',
    inBytes(((await engine.bytes()) - bytes) / tenants),
  );
}

function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? Number.NaN) * 1024;
}

const count = (value: number): string => value.toLocaleString('en');
const inBytes = (value: number): string => `${count(Math.round(value))} B`;
const mebibytes = (value: number): string => `${(value / 2 ** 20).toFixed(1)} MiB`;

function growthTable(engines: readonly { readonly name: string; readonly found: Found }[]): string {
  const names = new Set(engines.flatMap(({ found }) => [...found.keys()]));
  const rows: Cells[] = [...names].map((name) => [
    name,
    ...engines.map(({ found }) => found.get(name) ?? '–'),
  ]);
  return markdownTable([['', ...engines.map(({ name }) => name)], ...rows]);
}

const sizesOf = (text: string): readonly number[] =>
  text.split(',').map((size) => {
    const number = Number(size.replaceAll('_', ''));
    if (!Number.isSafeInteger(number) || number < 1) throw new Error(`${size} is not a number of rows`);
    return number;
  });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      clients: { type: 'string', default: '1000,20000' },
      tokens: { type: 'string', default: '10000,1000000' },
      tenants: { type: 'string', default: '10' },
      load: { type: 'string', default: '0' },
      engines: { type: 'string', default: 'sqlite,postgres' },
      results: { type: 'string' },
    },
  });
  const origin = originOf(['npm run growth', '--', ...process.argv.slice(2)].join(' '));
  const sizes = {
    clients: sizesOf(values.clients),
    tokens: sizesOf(values.tokens),
    tenants: sizesOf(values.tenants)[0] ?? 1,
    load_s: Number(values.load),
  };
  const folder = mkdtempSync(join(tmpdir(), 'chancery-growth-'));
  const wanted = values.engines.split(',');
  const engines: GrowthEngine[] = [];
  try {
    const measured: { name: string; found: Found }[] = [];
    for (const name of wanted) {
      const engine = name === 'postgres' ? await postgresGrowth(folder) : sqliteGrowth(folder);
      engines.push(engine);
      measured.push({ name: engine.name, found: await measureEngine(engine, sizes) });
    }
    console.log(`${origin.machine}; commit ${origin.commit}\n\n${growthTable(measured)}`);
    const engineFigures = measured.map(({ name, found }) => [name, Object.fromEntries(found)]);
    const path = values.results ?? resultsPath(origin, 'growth', true);
    writeResults(path, { ...origin, growth: Object.fromEntries(engineFigures) });
    console.log(`\nresults: ${path}`);
  } finally {
    for (const engine of engines) await engine.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
