import type { TenantId } from '../../spec/identifiers.ts';
import type { Connection } from './connection.ts';
import { GO_INTERACTIVE, type PostgresWrite, type Transaction } from './noun.ts';
import { type BoundStatement, bound, enterTenant, lockTenant, type StatementResult } from './statement.ts';

/** A call of any verb. */
export interface PendingWrite {
  readonly how: PostgresWrite<never>;
  readonly values: readonly never[];
  readonly tenant: TenantId | undefined;
  /** The caller's deadline (`performance.now`). */
  readonly until: number;
}

/** `bulk`: several writes of one verb are tried as one statement. `each`: every write has its own statements. */
export type BatchMode = 'bulk' | 'each';

/** The answer of a write that was part of a bulk statement which did nothing: it must be retried on its own. */
export const NOT_DONE = Symbol('not done');

/** Executes the batch in one transaction and one round trip. Returns the answers in the order of the batch. */
export async function executePipelined(
  connection: Connection,
  batch: readonly PendingWrite[],
  mode: BatchMode,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const statements: BoundStatement[] = [];
  const settling: ((results: readonly StatementResult[]) => void)[] = [];
  const answers: Answers = new Map();
  for (const [tenant, writes] of byTenant(batch)) {
    if (tenant !== undefined) statements.push(enterTenant(tenant));
    if (tenant !== undefined && writes.some(({ how }) => how.locksTenant))
      statements.push(lockTenant(tenant));
    const merged = mode === 'bulk' && tenant !== undefined ? collectBulk(tenant, writes, answers) : [];
    for (const collected of [...merged, ...collectEach(writes, answers)]) {
      if (collected.refused) continue;
      const first = statements.length;
      statements.push(...collected.statements);
      settling.push((results) => collected.settle(results.slice(first, first + collected.statements.length)));
    }
  }
  const results = await connection.execute(statements);
  for (const settle of settling) settle(results);
  return await Promise.allSettled(batch.map(async (write) => await answers.get(write)));
}

type Answers = Map<PendingWrite, Promise<unknown>>;

/** Groups writes by tenant, always in the same order, so that two batches cannot deadlock on tenant locks. */
function byTenant(
  batch: readonly PendingWrite[],
): readonly (readonly [TenantId | undefined, readonly PendingWrite[]])[] {
  const groups = Map.groupBy(batch, ({ tenant }) => tenant);
  return [...groups].sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

/** Collects one statement for all writes of a verb, if there are several and they fit. */
function collectBulk(
  tenant: TenantId,
  writes: readonly PendingWrite[],
  answers: Answers,
): readonly Collected[] {
  const all: Collected[] = [];
  for (const [{ bulk }, alike] of Map.groupBy(writes, ({ how }) => how)) {
    const values = alike.map((write) => write.values) as never[];
    if (alike.length < 2 || bulk?.fits(values) !== true) continue;
    const { collected, answer } = collect((transaction) => bulk.try(transaction, tenant, values));
    // If one write has a value that cannot be stored, the others must not be refused with it.
    const results = answer.catch(() => undefined);
    const answerOf = async (index: number): Promise<unknown> => {
      const each: readonly unknown[] | undefined = await results;
      return each === undefined ? NOT_DONE : each[index];
    };
    alike.forEach((write, index) => answers.set(write, answerOf(index)));
    all.push(collected);
  }
  return all;
}

/** Collects the statements of each write that has no answer yet. */
function collectEach(writes: readonly PendingWrite[], answers: Answers): readonly Collected[] {
  return writes
    .filter((write) => !answers.has(write))
    .map((write) => {
      const pipelined = write.how.pipelined as PipelinedForm | undefined;
      const { collected, answer } = collect<unknown>(
        (transaction) => pipelined?.(transaction, ...write.values) ?? Promise.resolve(GO_INTERACTIVE),
      );
      answers.set(write, answer);
      return collected;
    });
}

type PipelinedForm = (transaction: Transaction, ...values: readonly never[]) => Promise<unknown>;

interface Collected {
  readonly statements: readonly BoundStatement[];
  /** Whether one of the statements was refused. Then none of them is sent. */
  readonly refused: boolean;
  settle(results: readonly StatementResult[]): void;
}

/** Runs a write that sends all its statements before it waits, and collects them instead of sending them. */
function collect<Answer>(write: (transaction: Transaction) => Promise<Answer>): {
  readonly collected: Collected;
  readonly answer: Promise<Answer>;
} {
  const statements: BoundStatement[] = [];
  const waiting: ((result: StatementResult) => void)[] = [];
  let refused = false;
  const transaction: Transaction = {
    query(statement, values) {
      try {
        statements.push(bound(statement, values));
      } catch (error) {
        refused = true;
        throw error;
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
  const answer = write(transaction);
  // A refused write rejects before the batch is executed; the caller learns of it together with the others.
  answer.catch(() => undefined);
  const settle: Collected['settle'] = (results) =>
    waiting.forEach((resolve, index) => resolve(results[index] ?? NOTHING));
  return { collected: { statements, refused, settle }, answer };
}

export const NOTHING: StatementResult = { rows: [], changed: 0 };
