import type { TenantId } from '../../spec/identifiers.ts';
import type { EngineStore, OfTenant, ResultOf, ValuesOf } from '../verbs.ts';
import type { GatheredReads } from './gathered-reads.ts';
import type { Row, Statement, StatementResult, Value } from './statement.ts';

export type Values = Readonly<Record<string, Value | undefined>>;

/** A transaction that is open, as a write sees it. */
export interface Transaction {
  query(statement: Statement, values: Values): Promise<StatementResult>;
}

/** Returns the only row, or undefined. */
export async function one(result: Promise<StatementResult>): Promise<Row | undefined> {
  return (await result).rows[0];
}

/** Returns how many rows the statement changed. */
export async function changed(result: Promise<StatementResult>): Promise<number> {
  return (await result).changed;
}

/** A pipelined write returns this if it has changed nothing, and only its interactive form can tell what to do. */
export const GO_INTERACTIVE = Symbol('go interactive');

/** Executes several writes of one verb and tenant with one statement: all of them or none. */
export interface Bulk<Verb> {
  /** Whether these writes may be tried so; there are at least two. */
  fits(writes: readonly ValuesOf<Verb>[]): boolean;
  /** Sends its query before it waits. Returns a result for each write, or undefined if none was done. */
  try(
    transaction: Transaction,
    tenant: TenantId,
    writes: readonly ValuesOf<Verb>[],
  ): Promise<readonly ResultOf<Verb>[] | undefined>;
}

/** How a write is executed. It has a pipelined form, an interactive form, or both. */
export interface PostgresWrite<Verb> {
  /**
   * Whether the transaction locks the tenant first (`lockTenant`). Without the lock, each statement of the write must be
   * right in any race.
   */
  readonly locksTenant: boolean;
  readonly bulk?: Bulk<Verb>;
  /** Sends all its queries before it waits for a result, so that the writes of one event-loop turn share a round trip. */
  readonly pipelined?: (
    transaction: Transaction,
    ...values: ValuesOf<Verb>
  ) => Promise<ResultOf<Verb> | typeof GO_INTERACTIVE>;
  /** Sends queries that depend on earlier results, in a transaction of its own. */
  readonly interactive?: (transaction: Transaction, ...values: ValuesOf<Verb>) => Promise<ResultOf<Verb>>;
}

export interface ReadConnections {
  readonly primary: GatheredReads;
  /** Where pages of clients are read; the primary where no standby is configured. */
  readonly replica: GatheredReads;
}

/** A store as PostgreSQL does it: each read is a function of the connections, each write a `PostgresWrite`. */
export interface PostgresStore<Verbs, Reads extends keyof Verbs = never> {
  readonly reads: { readonly [Verb in Reads]: (connections: ReadConnections) => Verbs[Verb] };
  readonly writes: { readonly [Verb in Exclude<keyof Verbs, Reads>]: PostgresWrite<Verbs[Verb]> };
}

/** A store of each tenant. `Reads` names the verbs that change nothing; all others are writes. */
export type TenantNoun<Store, Reads extends keyof Store = never> = PostgresStore<OfTenant<Store>, Reads>;

export interface AnyStore {
  readonly reads: Readonly<Record<string, (connections: ReadConnections) => (...values: never[]) => unknown>>;
  readonly writes: Readonly<Record<string, PostgresWrite<never>>>;
}

/** Makes every read of a store. */
export function openStore({ reads, writes }: AnyStore, connections: ReadConnections): EngineStore {
  const opened = Object.entries(reads).map(([verb, read]) => [verb, read(connections)]);
  return { reads: Object.fromEntries(opened) as EngineStore['reads'], writes: Object.keys(writes) };
}
