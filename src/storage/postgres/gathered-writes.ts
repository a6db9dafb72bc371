import { type StorageMeter, StorageUnavailable } from '../../ports/storage.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { waitOfRequest } from '../request-waits.ts';
import { refuseNul, type Write, type Writes } from '../verbs.ts';
import type { Connection } from './connection.ts';
import { concernsOneWrite, isFailedRead, isSerializationFailure, unavailable } from './database-error.ts';
import { GO_INTERACTIVE, type Transaction } from './noun.ts';
import { tenantOf, WRITES } from './nouns.ts';
import { type BatchMode, executePipelined, NOT_DONE, NOTHING, type PendingWrite } from './pipelined-batch.ts';
import type { Pool } from './pool.ts';
import { bound, enterTenant, lockTenant, Refused, statement } from './statement.ts';

const BEGIN = statement('begin', 'BEGIN');
const COMMIT = statement('commit', 'COMMIT');
const ROLLBACK = statement('rollback', 'ROLLBACK');

/** Beyond this the database does not keep up, and a further write would only wait longer. */
const UNANSWERED_WRITES_MAX = 20_000;
/** Concurrent batches of writes that take no lock: while one is committed, the next gathers. */
const FREE_BATCHES_MAX = 2;
/** Concurrent batches of writes that lock their tenant: a second one would only wait for the lock, and be smaller. */
const LOCKING_BATCHES_MAX = 1;
const WRITES_PER_BATCH_MAX = 500;
/** A transaction that the database rolled back in favour of another is tried this many times in all. */
const ATTEMPTS_MAX = 5;

interface Waiting extends PendingWrite {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Writes that wait for a batch, and the number of their batches in progress. */
interface Lane {
  readonly waiting: Waiting[];
  batches: number;
  readonly batchesMax: number;
}

/** Sends the pipelined writes of one event-loop turn in one round trip. Each interactive write has its own transaction. */
export class GatheredWrites implements Writes {
  readonly #pool: Pool;
  readonly #meter: StorageMeter | undefined;
  readonly #free: Lane = { waiting: [], batches: 0, batchesMax: FREE_BATCHES_MAX };
  readonly #locking: Lane = { waiting: [], batches: 0, batchesMax: LOCKING_BATCHES_MAX };
  #scheduled = false;
  #unanswered = 0;
  #closing = false;
  /** Whether the last transaction could not use the database. */
  #away = false;
  #drained: (() => void) | undefined;
  /** The last interactive write of each tenant. The next one waits for it here, because it would wait in the database. */
  readonly #last = new Map<TenantId | undefined, Promise<unknown>>();

  constructor(pool: Pool, meter?: StorageMeter) {
    this.#pool = pool;
    this.#meter = meter;
  }

  /** Writes that are not answered yet. */
  get unanswered(): number {
    return this.#unanswered;
  }

  write(write: Write): Promise<unknown> {
    return waitOfRequest(() => this.#write(write), true);
  }

  async #write(write: Write): Promise<unknown> {
    if (this.#closing) throw new StorageUnavailable('the storage is closed');
    if (this.#unanswered >= UNANSWERED_WRITES_MAX)
      throw new StorageUnavailable('too many writes are waiting');
    refuseNul(write.values);
    const how = WRITES.get(write.name);
    if (how === undefined) throw new Error(`${write.name} is not a write`);
    this.#unanswered += 1;
    try {
      const pending: PendingWrite = {
        how,
        values: write.values as readonly never[],
        tenant: tenantOf(write),
        until: this.#pool.deadline(),
      };
      const answer = how.pipelined === undefined ? GO_INTERACTIVE : await this.#gather(pending);
      return answer === GO_INTERACTIVE ? await this.#inOrder(pending) : answer;
    } finally {
      this.#unanswered -= 1;
      if (this.#unanswered === 0) this.#drained?.();
    }
  }

  /** Refuses further writes. Resolves when the writes in progress are answered. */
  async drain(): Promise<void> {
    this.#closing = true;
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  #gather(write: PendingWrite): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const lane = write.how.locksTenant ? this.#locking : this.#free;
      lane.waiting.push({ ...write, resolve, reject });
      if (this.#scheduled) return;
      this.#scheduled = true;
      setImmediate(() => {
        this.#scheduled = false;
        this.#sendBatches(this.#locking);
        this.#sendBatches(this.#free);
      });
    });
  }

  #sendBatches(lane: Lane): void {
    while (lane.waiting.length > 0 && lane.batches < lane.batchesMax) {
      const batch = lane.waiting.splice(0, WRITES_PER_BATCH_MAX);
      lane.batches += 1;
      const goOn = (): void => {
        lane.batches -= 1;
        this.#sendBatches(lane);
      };
      void this.#send(batch, 'bulk').finally(goOn);
    }
  }

  /** Answers every write of the batch. Never rejects. */
  async #send(batch: readonly Waiting[], mode: BatchMode): Promise<void> {
    let answers: readonly PromiseSettledResult<unknown>[];
    try {
      answers = await this.#transact(batch, (connection) => executePipelined(connection, batch, mode));
    } catch (error) {
      if (batch.length > 1 && (concernsOneWrite(error) || isFailedRead(error))) await this.#sendApart(batch);
      else for (const { reject } of batch) reject(told(error));
      return;
    }
    const again: Waiting[] = [];
    batch.forEach((waiting, index) => {
      const answer = answers[index];
      if (answer?.status === 'fulfilled' && answer.value === NOT_DONE) again.push(waiting);
      else settle(waiting, answer);
    });
    if (again.length > 0) await this.#send(again, 'each');
  }

  /** Executes the writes one by one after the batch was rolled back, so that only the faulty write fails. */
  async #sendApart(batch: readonly Waiting[]): Promise<void> {
    for (const waiting of batch) {
      try {
        const [answer] = await this.#transact([waiting], (connection) =>
          executePipelined(connection, [waiting], 'each'),
        );
        settle(waiting, answer);
      } catch (error) {
        waiting.reject(told(error));
      }
    }
  }

  #inOrder(write: PendingWrite): Promise<unknown> {
    const begin = (): Promise<unknown> =>
      this.#transact([write], (connection) => interactively(connection, write));
    const before = this.#last.get(write.tenant);
    const done = before === undefined ? begin() : before.then(begin, begin);
    this.#last.set(write.tenant, done);
    const forget = (): void => {
      if (this.#last.get(write.tenant) === done) this.#last.delete(write.tenant);
    };
    done.then(forget, forget);
    return done.catch((error: unknown) => {
      throw told(error);
    });
  }

  async #transact<T>(
    writes: readonly PendingWrite[],
    execute: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    this.#meter?.batch(writes.length);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const done = await this.#pool.with(execute, this.#untilOf(writes));
        this.#away = false;
        return done;
      } catch (error) {
        this.#away = error instanceof StorageUnavailable;
        if (!isSerializationFailure(error) || attempt === ATTEMPTS_MAX) throw error;
      }
    }
  }

  /**
   * Returns the deadline of a transaction. While the database answers, writes that had to wait in the queue get a fresh
   * deadline. While it does not answer, they keep their own.
   */
  #untilOf(writes: readonly PendingWrite[]): number {
    return this.#away ? Math.max(...writes.map(({ until }) => until)) : this.#pool.deadline();
  }
}

function settle({ resolve, reject }: Waiting, answer: PromiseSettledResult<unknown> | undefined): void {
  if (answer?.status === 'fulfilled') resolve(answer.value);
  else reject(told(answer?.reason));
}

/** Returns the caller's error: a fault in the values, or that the database cannot be used. */
function told(error: unknown): Error {
  return error instanceof Refused || concernsOneWrite(error) ? (error as Error) : unavailable(error);
}

type InteractiveForm = (transaction: Transaction, ...values: readonly never[]) => Promise<unknown>;

async function interactively(
  connection: Connection,
  { how, values, tenant }: PendingWrite,
): Promise<unknown> {
  const opening = [bound(BEGIN, {})];
  if (tenant !== undefined) opening.push(enterTenant(tenant));
  if (tenant !== undefined && how.locksTenant) opening.push(lockTenant(tenant));
  const transaction: Transaction = {
    async query(asked, given) {
      const [result] = await connection.execute([bound(asked, given)]);
      return result ?? NOTHING;
    },
  };
  const interactive = how.interactive as InteractiveForm | undefined;
  try {
    await connection.execute(opening);
    const answer = await interactive?.(transaction, ...values);
    await connection.execute([bound(COMMIT, {})]);
    return answer;
  } catch (error) {
    if (!connection.broken) await connection.execute([bound(ROLLBACK, {})]);
    throw error;
  }
}
