import type { DatabaseSync } from 'node:sqlite';
import type { FailedReads } from '../failed-reads.ts';
import type { EngineStore, OfTenant, ResultOf, ValuesOf, VerbName } from '../verbs.ts';

/** The connections of the main thread. */
export interface ReadConnections {
  /** For look-ups by an index. */
  readonly lookUps: DatabaseSync;
  /** For reads of whole tables, so that a list has a page cache of its own. */
  readonly scans: DatabaseSync;
  /** Lets a look-up share one snapshot with the others of its callback (`callbackSnapshot`). Call it before the look-up. */
  readonly snapshot: () => void;
  /** Counts all reads, and those that fail. */
  readonly failedReads: FailedReads;
}

/**
 * A store as SQLite does it: for each verb a function that prepares the statements and returns what executes the verb. The
 * main thread calls the reads. The writer calls the writes, inside a transaction that other writes share.
 */
export interface SqliteStore<Verbs, Reads extends keyof Verbs = never> {
  readonly reads: {
    readonly [Verb in Reads]: (
      connections: ReadConnections,
    ) => (...values: ValuesOf<Verbs[Verb]>) => ResultOf<Verbs[Verb]> | Promise<ResultOf<Verbs[Verb]>>;
  };
  readonly writes: {
    readonly [Verb in Exclude<keyof Verbs, Reads>]: (
      database: DatabaseSync,
    ) => (...values: ValuesOf<Verbs[Verb]>) => ResultOf<Verbs[Verb]> | Promise<ResultOf<Verbs[Verb]>>;
  };
}

/** A store of each tenant. `Reads` names the verbs that change nothing; all others are writes. */
export type TenantNoun<Store, Reads extends keyof Store = never> = SqliteStore<OfTenant<Store>, Reads>;

type Prepare<On> = (on: On) => (...values: never[]) => unknown;

export interface AnyStore {
  readonly reads: Readonly<Record<string, Prepare<ReadConnections>>>;
  readonly writes: Readonly<Record<string, Prepare<DatabaseSync>>>;
}

/** Opens every read of a store. */
export function openStore({ reads, writes }: AnyStore, connections: ReadConnections): EngineStore {
  const opened = Object.entries(reads).map(([verb, prepare]) => [
    verb,
    connections.failedReads.counted(preparedWhenCalled(prepare, connections)),
  ]);
  return { reads: Object.fromEntries(opened) as EngineStore['reads'], writes: Object.keys(writes) };
}

/** Executes one write inside a transaction that has begun. */
export type Handler = (...values: never[]) => unknown;

/** Returns every write of all stores, by name. */
export function writeHandlers(
  stores: Readonly<Record<string, AnyStore>>,
  database: DatabaseSync,
): ReadonlyMap<VerbName, Handler> {
  const handlers = new Map<VerbName, Handler>();
  for (const [noun, { writes }] of Object.entries(stores)) {
    for (const [verb, prepare] of Object.entries(writes)) {
      handlers.set(`${noun}.${verb}` as VerbName, preparedWhenCalled(prepare, database));
    }
  }
  return handlers;
}

/**
 * Returns a verb that prepares its statements when it is called first. A server uses a fraction of the verbs soon after its start,
 * and the statements of all of them would take a tenth of the time of the start, in each process.
 */
function preparedWhenCalled<On>(prepare: Prepare<On>, on: On): (...values: readonly unknown[]) => unknown {
  let run: ((...values: readonly unknown[]) => unknown) | undefined;
  return (...values) => {
    run ??= prepare(on) as (...values: readonly unknown[]) => unknown;
    return run(...values);
  };
}
