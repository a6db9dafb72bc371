import { StorageUnavailable } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { FailedReads } from '../failed-reads.ts';
import { waitOfRequest } from '../request-waits.ts';
import type { Connection } from './connection.ts';
import { isFailedRead, sqlState, unavailable } from './database-error.ts';
import type { Pool } from './pool.ts';
import {
  type BoundStatement,
  bound,
  enterTenant,
  type Row,
  type Statement,
  type StatementResult,
  type Value,
} from './statement.ts';

/** Text with this character cannot be stored, so a look-up for it finds nothing. */
const NUL = '\0';

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

interface Single extends Waiting<readonly Row[]> {
  readonly statement: BoundStatement;
}

/** The reads of one tenant in one event-loop turn. */
interface Gathered {
  readonly singles: Single[];
  /** By statement: the callers that wait for each key. */
  readonly lookUps: Map<Statement, Map<string, Waiting<Row | undefined>[]>>;
}

/** Sends the reads of one event-loop turn in one round trip, and look-ups with the same statement as one query. */
export class GatheredReads {
  readonly #pool: Pool;
  /** Counts a read, and lets the present request wait for it. */
  readonly #counted: (start: () => Promise<unknown>) => Promise<unknown>;
  #gathered = new Map<TenantId | undefined, Gathered>();

  constructor(pool: Pool, failedReads: FailedReads) {
    this.#pool = pool;
    this.#counted = failedReads.counted((start: () => Promise<unknown>) => waitOfRequest(start));
  }

  /**
   * Returns the row of `key`. The statement takes `:tenant` and `:keys`, and has the key of each row in its column `key`.
   */
  lookUp<Found extends object = Row>(
    tenant: TenantId,
    statement: Statement,
    key: string,
  ): Promise<Found | undefined> {
    if (key.includes(NUL)) return Promise.resolve(undefined);
    const start = (): Promise<Row | undefined> =>
      new Promise((resolve, reject) => {
        const { lookUps } = this.#of(tenant);
        let keys = lookUps.get(statement);
        if (keys === undefined) lookUps.set(statement, (keys = new Map()));
        const waiting = keys.get(key);
        if (waiting === undefined) keys.set(key, [{ resolve, reject }]);
        else waiting.push({ resolve, reject });
      });
    return this.#counted(start) as Promise<object | undefined> as Promise<Found | undefined>;
  }

  /** Returns the rows of one statement, sent together with the other reads of this event-loop turn. */
  rows<Found extends object = Row>(
    tenant: TenantId | undefined,
    statement: Statement,
    values: Readonly<Record<string, Value>>,
  ): Promise<readonly Found[]> {
    if (hasNul(values)) return Promise.resolve([]);
    const start = (): Promise<readonly Row[]> =>
      new Promise((resolve, reject) => {
        const single = bound(statement, tenant === undefined ? values : { ...values, tenant });
        this.#of(tenant).singles.push({ statement: single, resolve, reject });
      });
    return this.#counted(start) as Promise<readonly object[]> as Promise<readonly Found[]>;
  }

  /** Returns the rows of a statement that may be slow, on a connection of its own. */
  async slowRows<Found extends object = Row>(
    tenant: TenantId,
    statement: Statement,
    values: Readonly<Record<string, Value>>,
  ): Promise<readonly Found[]> {
    if (hasNul(values)) return [];
    const asked = [enterTenant(tenant), bound(statement, { ...values, tenant })];
    const results = (await this.#counted(() => this.#execute(asked))) as readonly StatementResult[];
    const rows: readonly object[] = results[1]?.rows ?? [];
    return rows as readonly Found[];
  }

  #of(tenant: TenantId | undefined): Gathered {
    if (this.#gathered.size === 0) setImmediate(() => void this.#send());
    let gathered = this.#gathered.get(tenant);
    if (gathered === undefined) {
      gathered = { singles: [], lookUps: new Map() };
      this.#gathered.set(tenant, gathered);
    }
    return gathered;
  }

  async #send(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = new Map();
    const statements: BoundStatement[] = [];
    const settling: ((results: readonly StatementResult[]) => void)[] = [];
    const add = (asked: BoundStatement, settle: (rows: readonly Row[]) => void): void => {
      const place = statements.push(asked) - 1;
      settling.push((results) => settle(results[place]?.rows ?? []));
    };
    for (const [tenant, { singles, lookUps }] of gathered) {
      if (tenant !== undefined) statements.push(enterTenant(tenant));
      for (const single of singles) add(single.statement, single.resolve);
      for (const [statement, keys] of lookUps) {
        add(bound(statement, { tenant: tenant ?? null, keys: [...keys.keys()] }), (rows) =>
          answerLookUps(keys, rows),
        );
      }
    }
    try {
      const results = await this.#execute(statements);
      for (const settle of settling) settle(results);
    } catch (error) {
      // A damaged page costs the reads that need it, not those that were sent with them.
      if (settling.length > 1 && isFailedRead(error)) await this.#sendApart(gathered);
      else for (const each of gathered.values()) rejectAll(each, error as Error);
    }
  }

  /** Sends each read alone, and each key of a look-up. Never rejects. */
  async #sendApart(gathered: ReadonlyMap<TenantId | undefined, Gathered>): Promise<void> {
    for (const [tenant, { singles, lookUps }] of gathered) {
      const alone = async (asked: BoundStatement): Promise<readonly Row[]> => {
        const entered = tenant === undefined ? [] : [enterTenant(tenant)];
        return (await this.#execute([...entered, asked])).at(-1)?.rows ?? [];
      };
      for (const { statement, resolve, reject } of singles) await alone(statement).then(resolve, reject);
      for (const [statement, keys] of lookUps) {
        for (const [key, waiting] of keys) {
          const one: LookUpKeys = new Map([[key, waiting]]);
          await alone(bound(statement, { tenant: tenant ?? null, keys: [key] })).then(
            (rows) => answerLookUps(one, rows),
            (error: Error) => waiting.forEach(({ reject }) => reject(error)),
          );
        }
      }
    }
  }

  /** Retries once after a lost connection, which is safe because reads change nothing. */
  async #execute(statements: readonly BoundStatement[]): Promise<readonly StatementResult[]> {
    const execute = (connection: Connection): Promise<readonly StatementResult[]> =>
      connection.execute(statements);
    const until = this.#pool.deadline();
    try {
      return await this.#pool.with(execute, until);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (sqlState(error) !== undefined && !isPassing(error)) throw unavailable(error);
    }
    try {
      return await this.#pool.with(execute, until);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** Whether the server is shutting down, or rolled the transaction back in favour of another one. */
const isPassing = (error: unknown): boolean => /^(?:08|57P|40)/u.test(sqlState(error) ?? '');

type LookUpKeys = ReadonlyMap<string, readonly Waiting<Row | undefined>[]>;

function answerLookUps(keys: LookUpKeys, rows: readonly Row[]): void {
  const found = new Map(rows.map((row) => [row['key'], row]));
  for (const [key, waiting] of keys) for (const { resolve } of waiting) resolve(found.get(key));
}

function rejectAll({ singles, lookUps }: Gathered, reason: Error): void {
  for (const { reject } of singles) reject(reason);
  for (const keys of lookUps.values()) {
    for (const waiting of keys.values()) for (const { reject } of waiting) reject(reason);
  }
}

const hasNul = (values: Readonly<Record<string, Value>>): boolean =>
  Object.values(values).some((value) => typeof value === 'string' && value.includes(NUL));
