import { StorageUnavailable } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { Connection } from './connection.ts';
import { sqlState, unavailable } from './database-error.ts';
import type { Pool } from './pool.ts';
import { type Outcome, type Question, question, type Row, type Statement, type Value } from './statement.ts';
import { enterTenant } from './tenant-scope.ts';

/** Text with this character cannot be stored, so it is not there. */
const NUL = '\0';

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (reason: Error) => void;
}

interface Single extends Waiting<readonly Row[]> {
  readonly question: Question;
}

/** What one tenant is asked in one turn of the event loop. */
interface Gathered {
  readonly singles: Single[];
  /** By statement: who waits for which key. */
  readonly lookUps: Map<Statement, Map<string, Waiting<Row | undefined>[]>>;
}

/** Gathers what is asked in one turn of the event loop into one round trip, and look-ups of one kind into one query. */
export class GatheredReads {
  readonly #pool: Pool;
  #gathered = new Map<TenantId | undefined, Gathered>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** The row of `key` in a statement that takes `:tenant` and `:keys`, and names the key of each row `key`. */
  lookUp(tenant: TenantId, statement: Statement, key: string): Promise<Row | undefined> {
    if (key.includes(NUL)) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      const { lookUps } = this.#of(tenant);
      let keys = lookUps.get(statement);
      if (keys === undefined) lookUps.set(statement, (keys = new Map()));
      const waiting = keys.get(key);
      if (waiting === undefined) keys.set(key, [{ resolve, reject }]);
      else waiting.push({ resolve, reject });
    });
  }

  /** The rows of one question, asked together with the others of this turn. */
  rows(
    tenant: TenantId | undefined,
    statement: Statement,
    values: Readonly<Record<string, Value>>,
  ): Promise<readonly Row[]> {
    if (hasNul(values)) return Promise.resolve([]);
    return new Promise((resolve, reject) => {
      const asked = question(statement, tenant === undefined ? values : { ...values, tenant });
      this.#of(tenant).singles.push({ question: asked, resolve, reject });
    });
  }

  /** The rows of a question that may take its time: on a connection of its own. */
  async slowRows(
    tenant: TenantId,
    statement: Statement,
    values: Readonly<Record<string, Value>>,
  ): Promise<readonly Row[]> {
    if (hasNul(values)) return [];
    const asked = [enterTenant(tenant), question(statement, { ...values, tenant })];
    const outcomes = await this.#ask(asked);
    return outcomes[1]?.rows ?? [];
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
    const questions: Question[] = [];
    const settling: ((outcomes: readonly Outcome[]) => void)[] = [];
    const ask = (asked: Question, settle: (rows: readonly Row[]) => void): void => {
      const place = questions.push(asked) - 1;
      settling.push((outcomes) => settle(outcomes[place]?.rows ?? []));
    };
    for (const [tenant, { singles, lookUps }] of gathered) {
      if (tenant !== undefined) questions.push(enterTenant(tenant));
      for (const single of singles) ask(single.question, single.resolve);
      for (const [statement, keys] of lookUps) {
        ask(question(statement, { tenant: tenant ?? null, keys: [...keys.keys()] }), (rows) =>
          answerLookUps(keys, rows),
        );
      }
    }
    try {
      const outcomes = await this.#ask(questions);
      for (const settle of settling) settle(outcomes);
    } catch (error) {
      for (const each of gathered.values()) rejectAll(each, error as Error);
    }
  }

  /** A question changes nothing: where the connection was lost on the way it is asked once more. */
  async #ask(questions: readonly Question[]): Promise<readonly Outcome[]> {
    const ask = (connection: Connection): Promise<readonly Outcome[]> => connection.ask(questions);
    const until = this.#pool.deadline();
    try {
      return await this.#pool.with(ask, until);
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (sqlState(error) !== undefined && !isPassing(error)) throw unavailable(error);
    }
    try {
      return await this.#pool.with(ask, until);
    } catch (error) {
      throw unavailable(error);
    }
  }
}

/** The server goes away, or undid the transaction for another one. */
const isPassing = (error: unknown): boolean => /^(?:08|57P|40)/u.test(sqlState(error) ?? '');

function answerLookUps(
  keys: ReadonlyMap<string, readonly Waiting<Row | undefined>[]>,
  rows: readonly Row[],
): void {
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
