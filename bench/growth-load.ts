import type { Program } from '../test/program/start.ts';
import type { GrowthEngine } from './growth-engine.ts';
import { openMixture } from './open-mixture.ts';
import { type Caller, register } from './ours.ts';
import { seed } from './seed.ts';
import { startHeld } from './start-held.ts';

/** Genuine tokens for the load, from everywhere in the table. */
export const LOADED_TOKENS = 200_000;
/** A tenth of them is for revocations. */
const REVOCABLE = LOADED_TOKENS / 10;
/** Requests of the mixture in a second. In a minute the load asks about most tokens once. */
const RATE = 3_000;

/** A database, and tokens in it that the load may use. */
export interface Loaded {
  readonly engine: GrowthEngine;
  readonly caller: Caller;
  readonly tokens: readonly string[];
  readonly seconds: number;
}

export async function start({ folder, place }: GrowthEngine, tenants = 1): Promise<Program> {
  return await startHeld({
    folder,
    environment: {
      CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true',
      // The process keeps all measured tenants open.
      CHANCERY_CACHE_OPEN_TENANTS: String(tenants),
      ...place.environment,
    },
  });
}

/**
 * Runs the same load on the grown database and, before and after it, on a small one.
 * @param size words for the size of the grown one
 * @param found gets the latencies, from the time at which each request was due
 */
export async function compareLoads(grown: Loaded, size: string, found: Map<string, string>): Promise<void> {
  const few = `${LOADED_TOKENS.toLocaleString('en')} tokens`;
  await onSmall(grown, `${few}, before`, found);
  await load(grown, size, found);
  await onSmall(grown, `${few}, after`, found);
}

async function onSmall({ engine, seconds }: Loaded, size: string, found: Map<string, string>): Promise<void> {
  const small = await engine.another();
  const first = await start(small);
  const caller = await register(first);
  await first.stop();
  const counts = { tokens: LOADED_TOKENS, kept: LOADED_TOKENS, selfContained: 0 };
  const { tokens } = await seed({
    place: small.place,
    issuer: first.issuer,
    client_id: caller.client_id,
    ...counts,
  });
  await load({ engine: small, caller, tokens, seconds }, size, found);
}

async function load(
  { engine, caller, tokens, seconds }: Loaded,
  size: string,
  found: Map<string, string>,
): Promise<void> {
  const program = await start(engine);
  const target = {
    program,
    caller,
    tokens: tokens.slice(REVOCABLE),
    manyTokens: tokens.slice(0, REVOCABLE),
    environment: engine.place.environment,
  };
  const { kinds } = await (await openMixture(target)).send({ rate: RATE, seconds });
  await program.stop();
  for (const { kind, p50_ms, p99_ms, p999_ms } of kinds) {
    const figures = [p50_ms, p99_ms, p999_ms].map((milliseconds) => `${milliseconds.toFixed(1)} ms`);
    found.set(`${kind} among ${size}: p50, p99, p99.9`, figures.join(', '));
  }
}
