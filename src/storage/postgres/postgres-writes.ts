import { StorageUnavailable } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { refuseNul } from '../nul.ts';
import type { WriteArguments, WriteName, WriteResults, Writes } from '../write.ts';
import { type Act, TAKE_STEPS, type Transaction } from './act.ts';
import { ACTS } from './acts.ts';
import type { Connection } from './connection.ts';
import { concernsOneAct, isUndoneForAnother, unavailable } from './database-error.ts';
import type { Pool } from './pool.ts';
import { type Outcome, type Question, question, Refused, statement } from './statement.ts';
import { enterTenant, takeTurn } from './tenant-scope.ts';

const BEGIN = statement('begin', 'BEGIN');
const COMMIT = statement('commit', 'COMMIT');
const ROLLBACK = statement('rollback', 'ROLLBACK');

/** Beyond this the database does not keep up, and another write would only wait longer. */
const UNANSWERED_WRITES_MAX = 20_000;
/** Batches under way at a time: one gathers what comes while another one is committed. */
const BATCHES_MAX = 2;
const ACTS_PER_BATCH_MAX = 500;
/** A transaction that was undone for another one has not happened; this often it is tried in all. */
const ATTEMPTS_MAX = 5;

/** An act with its values, of whatever name. */
interface Doing {
  readonly act: Act<WriteName>;
  readonly values: never;
  readonly tenant: TenantId | undefined;
  /** When whoever asked for it has waited for long enough (`performance.now`). */
  readonly until: number;
}

interface Waiting extends Doing {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** The quick acts of one turn of the event loop share a round trip; the others have a transaction each. */
export class PostgresWrites implements Writes {
  readonly #pool: Pool;
  #waiting: Waiting[] = [];
  #scheduled = false;
  #batches = 0;
  #unanswered = 0;
  #closing = false;
  /** Whether the last transaction could not use the database. */
  #away = false;
  #drained: (() => void) | undefined;
  /** The last one with steps, by tenant: they would only wait for each other in the database. */
  readonly #last = new Map<TenantId | undefined, Promise<unknown>>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async write<Name extends WriteName>(name: Name, values: WriteArguments[Name]): Promise<WriteResults[Name]> {
    if (this.#closing) throw new StorageUnavailable('the storage is closed');
    if (this.#unanswered >= UNANSWERED_WRITES_MAX)
      throw new StorageUnavailable('too many writes are waiting');
    refuseNul(values);
    this.#unanswered += 1;
    try {
      const act = ACTS[name] as unknown as Act<WriteName>;
      const until = this.#pool.deadline();
      const doing = { act, values: values as never, tenant: tenantOf(values), until };
      const answer = act.quick === undefined ? TAKE_STEPS : await this.#gather(doing);
      return (answer === TAKE_STEPS ? await this.#inOrder(doing) : answer) as WriteResults[Name];
    } finally {
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#drained?.();
    }
  }

  /** Refuses further writes and resolves when those under way are answered. */
  async drain(): Promise<void> {
    this.#closing = true;
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #gather(doing: Doing): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...doing, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendBatches();
      });
    });
  }

  #sendBatches(): void {
    while (this.#waiting.length > 0 && this.#batches < BATCHES_MAX) {
      const batch = this.#waiting.splice(0, ACTS_PER_BATCH_MAX);
      this.#batches += 1;
      void this.#sendBatch(batch);
    }
  }

  async #sendBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await this.#transact(batch, (connection) => quickly(connection, batch));
      batch.forEach((waiting, index) => settle(waiting, answers[index]));
    } catch (error) {
      if (batch.length > 1 && concernsOneAct(error)) await this.#sendApart(batch);
      else for (const { reject } of batch) reject(told(error));
    } finally {
      this.#batches -= 1;
      this.#sendBatches();
    }
  }

  /** Nothing of the batch has happened: what cannot be done fails alone. */
  async #sendApart(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) {
      try {
        const [answer] = await this.#transact([waiting], (connection) => quickly(connection, [waiting]));
        settle(waiting, answer);
      } catch (error) {
        waiting.reject(told(error));
      }
    }
  }

  #inOrder(doing: Doing): Promise<unknown> {
    const begin = (): Promise<unknown> => this.#transact([doing], (connection) => inSteps(connection, doing));
    const before = this.#last.get(doing.tenant);
    const done = before === undefined ? begin() : before.then(begin, begin);
    this.#last.set(doing.tenant, done);
    const forget = (): void => {
      if (this.#last.get(doing.tenant) === done) this.#last.delete(doing.tenant);
    };
    done.then(forget, forget);
    return done.catch((error: unknown) => {
      throw told(error);
    });
  }

  async #transact<T>(doings: readonly Doing[], act: (connection: Connection) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = await this.#pool.with(act, this.#untilOf(doings));
        this.#away = false;
        return done;
      } catch (error) {
        this.#away = error instanceof StorageUnavailable;
        if (!isUndoneForAnother(error) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /**
   * Whoever waits for others may wait for longer than the deadline as long as they are getting done; not in a queue at a
   * database that does not answer.
   */
  #untilOf(doings: readonly Doing[]): number {
    return this.#away ? Math.max(...doings.map(({ until }) => until)) : this.#pool.deadline();
  }
}

function settle({ resolve, reject }: Waiting, answer: PromiseSettledResult<unknown> | undefined): void {
  if (answer?.status === 'fulfilled') resolve(answer.value);
  else reject(told(answer?.reason));
}

/** What the caller is told: a fault of its values, or that the database cannot be used. */
function told(error: unknown): Error {
  return error instanceof Refused || concernsOneAct(error) ? (error as Error) : unavailable(error);
}

function tenantOf(values: WriteArguments[WriteName]): TenantId | undefined {
  if ('tenant' in values) return typeof values.tenant === 'string' ? values.tenant : values.tenant.id;
  return 'expectedVersion' in values ? values.id : undefined;
}

/** One round trip and one transaction for all. */
async function quickly(
  connection: Connection,
  batch: readonly Doing[],
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const questions: Question[] = [];
  const settling: ((outcomes: readonly Outcome[]) => void)[] = [];
  const answers = new Map<Doing, Promise<unknown>>();
  for (const [tenant, doings] of byTenant(batch)) {
    if (tenant !== undefined) questions.push(enterTenant(tenant));
    if (tenant !== undefined && doings.some(({ act }) => act.turn)) questions.push(takeTurn(tenant));
    for (const doing of doings) {
      const put = putting(doing);
      answers.set(doing, put.answer);
      if (put.refused) continue;
      const first = questions.length;
      questions.push(...put.questions);
      settling.push((outcomes) => put.settle(outcomes.slice(first, first + put.questions.length)));
    }
  }
  const outcomes = await connection.ask(questions);
  for (const settle of settling) settle(outcomes);
  return await Promise.allSettled(batch.map(async (doing) => await answers.get(doing)));
}

interface Putting {
  readonly questions: readonly Question[];
  /** One of its questions cannot be put: then none is. */
  readonly refused: boolean;
  readonly answer: Promise<unknown>;
  settle(outcomes: readonly Outcome[]): void;
}

/** What a quick act asks, all of it before it waits for an answer. */
function putting({ act, values }: Doing): Putting {
  const questions: Question[] = [];
  const waiting: ((outcome: Outcome) => void)[] = [];
  let refused = false;
  const transaction: Transaction = {
    ask(asked, given) {
      try {
        questions.push(question(asked, given));
      } catch (error) {
        refused = true;
        throw error;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  const answer = act.quick?.(transaction, values) ?? Promise.resolve(TAKE_STEPS);
  // It may be refused while the others are still under way; it is told with them.
  answer.catch(() => undefined);
  return {
    questions,
    refused,
    answer,
    settle: (outcomes) => waiting.forEach((resolve, index) => resolve(outcomes[index] ?? NOTHING)),
  };
}

const NOTHING: Outcome = { rows: [], changed: 0 };

/** Turns are taken in the same order everywhere: two batches never wait for each other. */
function byTenant(batch: readonly Doing[]): readonly (readonly [TenantId | undefined, readonly Doing[]])[] {
  const groups = Map.groupBy(batch, ({ tenant }) => tenant);
  return [...groups].sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

async function inSteps(connection: Connection, { act, values, tenant }: Doing): Promise<unknown> {
  const opening = [question(BEGIN, {})];
  if (tenant !== undefined) opening.push(enterTenant(tenant));
  if (tenant !== undefined && act.turn) opening.push(takeTurn(tenant));
  const transaction: Transaction = {
    async ask(asked, given) {
      const [outcome] = await connection.ask([question(asked, given)]);
      return outcome ?? NOTHING;
    },
  };
  try {
    await connection.ask(opening);
    const answer = await act.steps?.(transaction, values);
    await connection.ask([question(COMMIT, {})]);
    return answer;
  } catch (error) {
    if (!connection.broken) await connection.ask([question(ROLLBACK, {})]);
    throw error;
  }
}
