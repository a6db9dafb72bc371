/**
 * Measures the CPU time of finding a token in memory or not: its digest, its MAC, the caches and the collector, without HTTP and
 * database. It takes the code of a checkout. Run: node --heap-growing-percent=40 bench/asked-once.ts [CHECKOUT]
 */
import { createSecretKey } from 'node:crypto';
import { resolve } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type * as Caches from '../src/spec/caches.ts';
import { IDENTIFIER_LENGTHS } from '../src/spec/identifiers.ts';
import type * as RecordCache from '../src/storage/record-cache.ts';
import { systemRandom } from '../src/system/random.ts';
import type * as AccessToken from '../src/tokens/access-token.ts';
import { authenticated, locatorAt } from '../src/tokens/token-identifier.ts';

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, '..'));
const from = async <Module>(path: string): Promise<Module> =>
  (await import(pathToFileURL(`${root}/src/${path}`).href)) as Module;

const MEMORY_BYTES = 384 * 1024 * 1024;
const VERIFIED_BYTES = 168;
const TOKENS = 480_000;
const REPEATED = 5_000;
/** The caches are full after this many. */
const FILLING = 250_000;
const SLICE = 10_000;
/** As many requests share a turn of the event loop. */
const TURN = 64;
const INTROSPECTION_CHARACTERS = 330;

const mac = createSecretKey(Buffer.alloc(32, 7));
const mint = (): string =>
  authenticated(
    'access_token',
    locatorAt(Date.now()) + systemRandom.alphanumeric(IDENTIFIER_LENGTHS.access_token),
    mac,
  );
/** Texts that are in use elsewhere would be found faster. */
const tokens = Buffer.from(Array.from({ length: TOKENS }, mint).join(''));
const LENGTH = tokens.length / TOKENS;

const { ProcessCaches } = await from<typeof Caches>('spec/caches.ts');
const { withRecordCache } = await from<typeof RecordCache>('storage/record-cache.ts');
const accessToken = await from<Partial<typeof AccessToken>>('tokens/access-token.ts');
const caches = new ProcessCaches(MEMORY_BYTES);
const introspection = Buffer.alloc(INTROSPECTION_CHARACTERS, 'x');
const find = (key: string): object => ({
  key,
  expires_at: Number.MAX_SAFE_INTEGER,
  client_instance: null,
  introspection: introspection.toString('latin1'),
});
const storage = { journal: { head: () => 1 }, clients: {}, serverKeys: {}, accessTokens: { find } };
const cached = withRecordCache(storage as never, { clients: undefined, accessTokens: undefined }, caches);
const needs = {
  mac,
  store: cached.accessTokens,
  clock: { now: () => 0 },
  genuine:
    accessToken.verifiedTokens?.(caches, VERIFIED_BYTES) ??
    caches.open('verified-tokens', { weigh: () => VERIFIED_BYTES }),
};

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** Returns the CPU microseconds of one, all threads together. */
async function ask(first: number, among: number): Promise<number> {
  const before = cpu();
  for (let count = 0; count < SLICE; count += 1) {
    const at = ((first + count) % among) * LENGTH;
    const found = await accessToken.findAccessToken?.(
      needs as never,
      tokens.toString('latin1', at, at + LENGTH),
    );
    if (found === undefined) throw new Error('a token was not found');
    if (count % TURN === 0) await nextTurn();
  }
  return (cpu() - before) / SLICE;
}

async function mean(begin: number, end: number, among: number): Promise<string> {
  let sum = 0;
  for (let first = begin; first < end; first += SLICE) sum += await ask(first, among);
  return (sum / ((end - begin) / SLICE)).toFixed(2);
}

await mean(0, 10 * SLICE, REPEATED);
console.log(`${root}: CPU of a token, µs`);
console.log(`repeated: ${await mean(0, 10 * SLICE, REPEATED)}`);
console.log(`once, while the caches fill: ${await mean(SLICE, FILLING, TOKENS)}`);
console.log(`once, the caches are full: ${await mean(FILLING, TOKENS, TOKENS)}`);
console.log(`repeated, the caches are full: ${await mean(0, 10 * SLICE, REPEATED)}`);
