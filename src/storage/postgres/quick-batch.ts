import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteName } from '../write.ts';
import { type Act, TAKE_STEPS, type Transaction } from './act.ts';
import type { Connection } from './connection.ts';
import { type Outcome, type Question, question } from './statement.ts';
import { enterTenant, takeTurn } from './tenant-scope.ts';

/** An act with its values, of whatever name. */
export interface Doing {
  readonly act: Act<WriteName>;
  readonly values: never;
  readonly tenant: TenantId | undefined;
  /** When whoever asked for it has waited for long enough (`performance.now`). */
  readonly until: number;
}

/** Whether acts that can be done by one statement are. */
export type How = 'together' | 'each';

/** The answer of an act that was tried together with others, where none of them was done: it is to be done on its own. */
export const UNDONE = Symbol('undone');

/** One round trip and one transaction for all. The answers are in the order of the batch. */
export async function quickly(
  connection: Connection,
  batch: readonly Doing[],
  how: How,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const questions: Question[] = [];
  const settling: ((outcomes: readonly Outcome[]) => void)[] = [];
  const answers = new Map<Doing, Promise<unknown>>();
  for (const [tenant, doings] of byTenant(batch)) {
    if (tenant !== undefined) questions.push(enterTenant(tenant));
    if (tenant !== undefined && doings.some(({ act }) => act.turn)) questions.push(takeTurn(tenant));
    const joined = how === 'together' && tenant !== undefined ? putTogether(tenant, doings, answers) : [];
    for (const put of [...joined, ...putEach(doings, answers)]) {
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

/** Turns are taken in the same order everywhere: two batches never wait for each other. */
function byTenant(batch: readonly Doing[]): readonly (readonly [TenantId | undefined, readonly Doing[]])[] {
  const groups = Map.groupBy(batch, ({ tenant }) => tenant);
  return [...groups].sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
}

/** One question for all acts of a kind, where there are several and they fit. */
function putTogether(
  tenant: TenantId,
  doings: readonly Doing[],
  answers: Map<Doing, Promise<unknown>>,
): readonly Putting[] {
  const all: Putting[] = [];
  for (const [{ together }, alike] of Map.groupBy(doings, ({ act }) => act)) {
    const values = alike.map((doing) => doing.values);
    if (alike.length < 2 || together?.fits(values) !== true) continue;
    const { put, answer } = putting((transaction) => together.try(transaction, tenant, values));
    // A value that cannot be stored is one act's: the others must not be refused with it.
    const found = answer.catch(() => undefined);
    const answerOf = async (index: number): Promise<unknown> => {
      const each = await found;
      return each === undefined ? UNDONE : each[index];
    };
    alike.forEach((doing, index) => answers.set(doing, answerOf(index)));
    all.push(put);
  }
  return all;
}

/** The questions of each act that is not answered yet. */
function putEach(doings: readonly Doing[], answers: Map<Doing, Promise<unknown>>): readonly Putting[] {
  return doings
    .filter((doing) => !answers.has(doing))
    .map((doing) => {
      const { act, values } = doing;
      const { put, answer } = putting<unknown>(
        (transaction) => act.quick?.(transaction, values) ?? Promise.resolve(TAKE_STEPS),
      );
      answers.set(doing, answer);
      return put;
    });
}

interface Putting {
  readonly questions: readonly Question[];
  /** One of its questions cannot be put: then none is. */
  readonly refused: boolean;
  settle(outcomes: readonly Outcome[]): void;
}

/** What is asked by an act that puts all its questions before it waits for an answer. */
function putting<Answer>(act: (transaction: Transaction) => Promise<Answer>): {
  readonly put: Putting;
  readonly answer: Promise<Answer>;
} {
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
  const answer = act(transaction);
  // It may be refused while the others are still under way; it is told with them.
  answer.catch(() => undefined);
  const settle: Putting['settle'] = (outcomes) =>
    waiting.forEach((resolve, index) => resolve(outcomes[index] ?? NOTHING));
  return { put: { questions, refused, settle }, answer };
}

export const NOTHING: Outcome = { rows: [], changed: 0 };
