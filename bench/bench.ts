import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startLoadGenerator } from './load-generator.ts';
import { type Ours, startOurs, type TokenCounts } from './ours.ts';
import type { Description, Missing } from './peers/compared.ts';
import { startCompared } from './peers/start.ts';
import { sqlitePlace } from './place.ts';
import { startPostgres } from './postgres.ts';
import { openRegistries } from './registry.ts';
import type { Bench, Benchmark, Scale } from './subject.ts';

/** The data of a server whose tokens no benchmark asks about. */
const NO_TOKENS = { storedTokens: 1, loadedTokens: 1, manyTokens: 0, selfContainedTokens: 0 };

export interface Opened {
  readonly bench: Bench;
  /** Names the PostgreSQL of the run, if there is one, and the servers that are compared. */
  readonly described: {
    readonly postgres?: string;
    /** With `--peers`. */
    readonly subjects?: readonly Description[];
    readonly missing?: readonly Missing[];
  };
  close(): Promise<void>;
}

interface Wanted {
  readonly chosen: readonly Benchmark[];
  readonly scale: Scale;
  readonly storage: string;
  /** Whether the peers are started, too. */
  readonly peers: boolean;
  /** The folder of another checkout, to compare with. */
  readonly against: string | undefined;
}

/** Starts the load generator and the servers, and fills all databases at the same time, before anything is measured. */
export async function openBench(wanted: Wanted): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-bench-'));
  const closers: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    // The last first: a peer must not lose its database.
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
    rmSync(folder, { recursive: true, force: true });
  };
  // The other processes end with the channel to this one. The program has no channel.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().finally(() => process.exit(1)));
  }
  try {
    return { ...(await openAll(wanted, folder, closers)), close };
  } catch (failure) {
    await close();
    throw failure;
  }
}

async function openAll(
  { chosen, scale, storage, peers, against }: Wanted,
  folder: string,
  closers: (() => Promise<void>)[],
): Promise<Omit<Opened, 'close'>> {
  const load = startLoadGenerator();
  closers.push(async () => await load.close());
  const registries = openRegistries(folder, scale);
  closers.push(async () => await registries.close());
  const counts = chosen.some((benchmark) => benchmark.needsTokens) ? scale : NO_TOKENS;
  const needsMany = chosen.some((benchmark) => benchmark.needsManyClients);
  const closing = async <Started>(
    starting: Promise<Started>,
    close: (started: Started) => Promise<void>,
  ): Promise<Started> => {
    const started = await starting;
    closers.push(async () => await close(started));
    return started;
  };
  const opening = [
    closing(startOurs(folder, counts), async ({ program }) => await program.stop()),
    storage === 'postgres'
      ? closing(startPostgres(folder, counts), async (started) => await started.close())
      : Promise.resolve(undefined),
    against === undefined
      ? Promise.resolve(undefined)
      : closing(startOther(folder, counts, against), async ({ program }) => await program.stop()),
    needsMany ? registries.open(scale.manyClients) : Promise.resolve(undefined),
  ] as const;
  // If one fails, the others must have registered how they are closed.
  await Promise.allSettled(opening);
  const [ours, postgres, other] = await Promise.all(opening);
  const compared =
    peers && postgres !== undefined
      ? await startCompared({ folder, ours, postgres, tokens: counts.loadedTokens, closers })
      : undefined;
  const bench: Bench = {
    scale,
    folder,
    load,
    ours,
    other,
    against: against === undefined ? undefined : resolve(against, 'src/cli/chancery.ts'),
    registry: async (clients) => await registries.open(clients),
    postgres() {
      if (postgres === undefined) throw new Error('this benchmark needs --storage postgres');
      return postgres;
    },
    compared() {
      if (compared === undefined) throw new Error('this benchmark needs --peers');
      return compared.servers;
    },
  };
  return {
    bench,
    described: {
      ...(postgres === undefined ? {} : { postgres: postgres.described }),
      ...(compared === undefined
        ? {}
        : { subjects: compared.servers.map(({ described }) => described), missing: compared.missing }),
    },
  };
}

async function startOther(folder: string, counts: TokenCounts, checkout: string): Promise<Ours> {
  const own = join(folder, 'other');
  mkdirSync(own);
  return await startOurs(own, counts, sqlitePlace(own), resolve(checkout, 'src/cli/chancery.ts'));
}
