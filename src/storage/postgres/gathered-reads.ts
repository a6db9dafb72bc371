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

/** More sendings at a time would only be smaller. */
const SOON_MAX = 2;

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
  readonly #failedReads: FailedReads;
  #gathered = new Map<TenantId | undefined, Gathered>();
  /** How many sendings are not answered. */
  #underWay = 0;

  constructor(pool: Pool, failedReads: FailedReads) {
    this.#pool = pool;
    this.#failedReads = failedReads;
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
    this.#failedReads.began();
    const start = (): Promise<Found | undefined> =>
      new Promise((resolve, reject) => {
        const { lookUps } = this.#of(tenant);
        let keys = lookUps.get(statement);
        if (keys === undefined) lookUps.set(statement, (keys = new Map()));
        const waiting = { resolve: resolve as Waiting<Row | undefined>['resolve'], reject };
        const others = keys.get(key);
        if (others === undefined) keys.set(key, [waiting]);
        else others.push(waiting);
      });
    return waitOfRequest(start);
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

  /**
   * Sends what is gathered when the running microtasks of this depth are done, rather than at the end of the turn. So the database
   * works while answers of this turn are made. Does nothing while several sendings are under way: fewer and larger ones cost less.
   */
  sendSoon(): void {
    if (this.#underWay < SOON_MAX) queueMicrotask(() => this.#flush());
  }

  #of(tenant: TenantId | undefined): Gathered {
    if (this.#gathered.size === 0) setImmediate(() => this.#flush());
    let gathered = this.#gathered.get(tenant);
    if (gathered === undefined) {
      gathered = { singles: [], lookUps: new Map() };
      this.#gathered.set(tenant, gathered);
    }
    return gathered;
  }

  #flush(): void {
    if (this.#gathered.size === 0) return;
    const gathered = this.#gathered;
    this.#gathered = new Map();
    this.#underWay += 1;
    void this.#send(gathered);
  }

  async #send(gathered: ReadonlyMap<TenantId | undefined, Gathered>): Promise<void> {
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
      const results = await this.#execute(statements).finally(() => {
        this.#underWay -= 1;
      });
      for (const settle of settling) settle(results);
    } catch (error) {
      // A damaged page costs the reads that need it, not those that were sent with them.
      if (settling.length > 1 && isFailedRead(error)) await this.#sendApart(gathered);
      else for (const each of gathered.values()) this.#rejectAll(each, error as Error);
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
            (error: Error) => this.#rejectLookUps(waiting, error),
          );
        }
      }
    }
  }

  #rejectAll({ singles, lookUps }: Gathered, reason: Error): void {
    for (const { reject } of singles) reject(reason);
    for (const keys of lookUps.values())
      for (const waiting of keys.values()) this.#rejectLookUps(waiting, reason);
  }

  /** Counts each of them: a promise for each look-up to do so would cost more than it. */
  #rejectLookUps(waiting: readonly Waiting<Row | undefined>[], reason: Error): void {
    for (const { reject } of waiting) {
      this.#failedReads.failed(reason);
      reject(reason);
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
  for (const row of rows) for (const { resolve } of keys.get(row['key'] as string) ?? []) resolve(row);
  // A promise that has its row is settled already.
  for (const waiting of keys.values()) for (const { resolve } of waiting) resolve(undefined);
}

const hasNul = (values: Readonly<Record<string, Value>>): boolean =>
  Object.values(values).some((value) => typeof value === 'string' && value.includes(NUL));
