import type { ChildProcess } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import type { ReadyState } from '../endpoints/health/endpoint.ts';

export type Question = 'state' | 'metrics';

/** A message from the supervising process to a worker. */
export type ToWorker =
  | { readonly kind: 'stop' }
  | { readonly kind: 'ask'; readonly id: number; readonly what: Question };

/** A message from a worker to the supervising process. */
export type FromWorker =
  | { readonly kind: 'serving'; readonly address: AddressInfo }
  | { readonly kind: 'answer'; readonly id: number; readonly value: string };

/** Checks a message as it comes over the channel: anything else is not from our worker. */
export function isFromWorker(message: unknown): message is FromWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

export function isToWorker(message: unknown): message is ToWorker {
  return typeof message === 'object' && message !== null && 'kind' in message;
}

const STATES: ReadonlySet<string> = new Set(['starting', 'ready', 'not-ready', 'stopping']);

export const asState = (text: string | undefined): ReadyState =>
  text !== undefined && STATES.has(text) ? (text as ReadyState) : 'not-ready';

/** A worker that does not answer within this time is not ready. */
const ANSWER_TIMEOUT_MS = 3000;

/** Asks workers questions and matches their answers. */
export class WorkerQuestions {
  readonly #waiting = new Map<number, (value: string | undefined) => void>();
  #last = 0;

  answered(id: number, value: string): void {
    this.#waiting.get(id)?.(value);
  }

  /** Returns the answers, by the number of the worker; a worker that does not answer in time is left out. */
  async ask(
    workers: ReadonlyMap<number, ChildProcess>,
    what: Question,
  ): Promise<ReadonlyMap<string, string>> {
    const asked = [...workers].map(async ([number, child]) => {
      const value = await this.#ask(child, what);
      return value === undefined ? [] : [[String(number), value] as const];
    });
    return new Map((await Promise.all(asked)).flat());
  }

  async #ask(child: ChildProcess, what: Question): Promise<string | undefined> {
    this.#last += 1;
    const id = this.#last;
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#waiting.set(id, resolve);
    const late = setTimeout(() => resolve(undefined), ANSWER_TIMEOUT_MS);
    tell(child, { kind: 'ask', id, what });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }
}

export function tell(child: ChildProcess | undefined, message: ToWorker): void {
  // A closed channel means that the worker is ending.
  if (child?.connected === true) child.send(message, () => undefined);
}
