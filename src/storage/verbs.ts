import type { Storage, StorageFile, TenantStorage } from '../ports/storage.ts';
import type { TenantStore } from '../ports/tenant-store.ts';
import type { TimeMemory } from '../ports/time-memory.ts';
import type { TenantId } from '../spec/identifiers.ts';

/** The verbs of a store with the tenant in front of their values: one set of statements serves all tenants. */
export type OfTenant<Store> = {
  readonly [Verb in keyof Store]: Store[Verb] extends (...values: infer Values) => infer Result
    ? (tenant: TenantId, ...values: Values) => Result
    : never;
};

/** The verbs that concern the database as a whole, beside the list of tenants. */
export interface DatabaseStore
  extends Pick<
    Storage,
    | 'sealCanary'
    | 'replaceSealCanary'
    | 'keepIssuer'
    | 'replaceIssuer'
    | 'storedCanary'
    | 'recordProcess'
    | 'processes'
    | 'forgetProcesses'
  > {
  giveBackPages: StorageFile['giveBack'];
  noteTime: TimeMemory['note'];
  confirmTime: TimeMemory['confirm'];
  /** Resolves when a write is durable. */
  heartbeat(): Promise<void>;
}

/** The stores whose verbs take no tenant. */
export interface WholeStores {
  readonly tenants: TenantStore;
  readonly database: DatabaseStore;
}

/** Every store that an engine has, as its verbs are called inside the engine. */
export type Stores = {
  readonly [Noun in keyof TenantStorage]: OfTenant<TenantStorage[Noun]>;
} & WholeStores;

export type Noun = keyof Stores;

/** `grants.refresh`, for instance. */
export type VerbName = { [Name in Noun]: `${Name}.${keyof Stores[Name] & string}` }[Noun];

/** The function of a verb, by its name. */
type Verb<Name extends VerbName> = Name extends `${infer Store extends Noun}.${infer Member}`
  ? Stores[Store][Member & keyof Stores[Store]]
  : never;

export type ValuesOf<Run> = Run extends (...values: infer Values) => unknown ? Values : never;
export type ResultOf<Run> = Run extends (...values: never[]) => infer Result ? Awaited<Result> : never;

/** A call of a verb as plain data, which can be sent to a thread: its name, and the values that the port declares. */
export type Write<Name extends VerbName = VerbName> = {
  readonly [Called in Name]: { readonly name: Called; readonly values: ValuesOf<Verb<Called>> };
}[Name];

/** Executes writes on one engine. */
export interface Writes {
  /** Resolves with the result of the verb when the write is durable. */
  write(write: Write): Promise<unknown>;
}

type Run = (...values: never[]) => unknown;

/** A store as one engine does it: the reads that it can answer on the spot, and the names of the verbs that write. */
export interface EngineStore {
  readonly reads: Readonly<Record<string, Run>>;
  readonly writes: readonly string[];
}

/** Returns the stores of one tenant: each read is called with the tenant, each write is sent with it. */
export function tenantStorage(
  tenant: TenantId,
  stores: Readonly<Record<keyof TenantStorage, EngineStore>>,
  writes: Writes,
): TenantStorage {
  const made = Object.entries(stores).map(([noun, store]) => [noun, verbsOf(noun, store, [tenant], writes)]);
  return Object.fromEntries(made) as TenantStorage;
}

/** Returns the stores that belong to no tenant. */
export function wholeStores(
  { tenants, database }: Readonly<Record<keyof WholeStores, EngineStore>>,
  writes: Writes,
): WholeStores {
  return {
    tenants: verbsOf('tenants', tenants, [], writes) as unknown as TenantStore,
    database: verbsOf('database', database, [], writes) as unknown as DatabaseStore,
  };
}

/** Reads that an embedded engine answers without a promise, because they are on the hot path (`Awaitable` in the ports). */
const ANSWERED_AT_ONCE: ReadonlySet<string> = new Set([
  'accessTokens.find',
  'clients.find',
  'journal.head',
  'journal.since',
  'serverKeys.all',
  'tenants.version',
] satisfies VerbName[]);

function verbsOf(
  noun: string,
  { reads, writes: names }: EngineStore,
  first: readonly TenantId[],
  writes: Writes,
): Readonly<Record<string, Run>> {
  const verbs: Record<string, Run> = {};
  for (const [verb, read] of Object.entries(reads)) {
    // A bound function costs less than one that takes its values apart and passes them on.
    const bound: Run = read.bind(undefined, ...(first as never[]));
    verbs[verb] = ANSWERED_AT_ONCE.has(`${noun}.${verb}`)
      ? bound
      : async (...values) => await bound(...values);
  }
  for (const verb of names) {
    const name = `${noun}.${verb}`;
    verbs[verb] = (...values) => writes.write({ name, values: [...first, ...values] } as Write);
  }
  return verbs;
}

/**
 * Refuses text with a NUL (U+0000), which PostgreSQL cannot store and SQLite can, so that both engines behave alike.
 * Text from outside is refused where it is parsed, or kept as JSON, which escapes the character.
 * @throws Error if any text among the values contains one
 */
export function refuseNul(values: unknown): void {
  if (typeof values === 'string') {
    if (values.includes('\0')) throw new Error('text with NUL cannot be stored');
  } else if (typeof values === 'object' && values !== null) {
    for (const value of Object.values(values)) refuseNul(value);
  }
}
