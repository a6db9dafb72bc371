import { StorageUnavailable } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { refuseNul } from '../nul.ts';
import type { WriteArguments, WriteName, WriteResults, Writes } from '../write.ts';
import { type Act, TAKE_STEPS, type Transaction } from './act.ts';
import { ACTS } from './acts.ts';
import type { Connection } from './connection.ts';
import { concernsOneAct, isUndoneForAnother, unavailable } from './database-error.ts';
import type { Pool } from './pool.ts';
import { type Doing, type How, NOTHING, quickly, UNDONE } from './quick-batch.ts';
import { question, Refused, statement } from './statement.ts';
import { enterTenant, takeTurn } from './tenant-scope.ts';

const BEGIN = statement('begin', 'BEGIN');
const COMMIT = statement('commit', 'COMMIT');
const ROLLBACK = statement('rollback', 'ROLLBACK');

/** Beyond this the database does not keep up, and another write would only wait longer. */
const UNANSWERED_WRITES_MAX = 20_000;
/** Batches of acts without a turn that are under way at a time: one gathers what comes while another one is committed. */
const FREE_BATCHES_MAX = 2;
/** Of acts that take their tenant's turn: another one would only wait for it in the database, and be smaller. */
const TURN_BATCHES_MAX = 1;
const ACTS_PER_BATCH_MAX = 500;
/** A transaction that was undone for another one has not happened; this often it is tried in all. */
const ATTEMPTS_MAX = 5;

interface Waiting extends Doing {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Acts that wait for a batch, and how many batches of such acts are under way. */
interface Lane {
  readonly waiting: Waiting[];
  batches: number;
  readonly batchesMax: number;
}

/** The quick acts of one turn of the event loop share a round trip; the others have a transaction each. */
export class PostgresWrites implements Writes {
  readonly #pool: Pool;
  readonly #free: Lane = { waiting: [], batches: 0, batchesMax: FREE_BATCHES_MAX };
  readonly #turns: Lane = { waiting: [], batches: 0, batchesMax: TURN_BATCHES_MAX };
  #scheduled = false;
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
      const lane = doing.act.turn ? this.#turns : this.#free;
      lane.waiting.push({ ...doing, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendBatches(this.#turns);
        this.#sendBatches(this.#free);
      });
    });
  }

  #sendBatches(lane: Lane): void {
    while (lane.waiting.length > 0 && lane.batches < lane.batchesMax) {
      const batch = lane.waiting.splice(0, ACTS_PER_BATCH_MAX);
      lane.batches += 1;
      const goOn = (): void => {
        lane.batches -= 1;
        this.#sendBatches(lane);
      };
      void this.#send(batch, 'together').finally(goOn);
    }
  }

  /** Answers everyone, and never rejects. */
  async #send(batch: readonly Waiting[], how: How): Promise<void> {
    let answers: readonly PromiseSettledResult<unknown>[];
    try {
      answers = await this.#transact(batch, (connection) => quickly(connection, batch, how));
    } catch (error) {
      if (batch.length > 1 && concernsOneAct(error)) await this.#sendApart(batch);
      else for (const { reject } of batch) reject(told(error));
      return;
    }
    const again: Waiting[] = [];
    batch.forEach((waiting, index) => {
      const answer = answers[index];
      if (answer?.status === 'fulfilled' && answer.value === UNDONE) again.push(waiting);
      else settle(waiting, answer);
    });
    if (again.length > 0) await this.#send(again, 'each');
  }

  /** Nothing of the batch has happened: what cannot be done fails alone. */
  async #sendApart(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) {
      try {
        const [answer] = await this.#transact([waiting], (connection) =>
          quickly(connection, [waiting], 'each'),
        );
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
