import type { ChildProcess } from 'node:child_process';
import type { Question, ToWorker } from './worker-messages.ts';

/** A worker that does not answer within this time is not ready. */
const ANSWER_TIMEOUT_MS = 3000;

/** Questions to workers, and who waits for the answers. */
export class WorkerQuestions {
  readonly #waiting = new Map<number, (value: string | undefined) => void>();
  #last = 0;

  answered(id: number, value: string): void {
    this.#waiting.get(id)?.(value);
  }

  /** The answers of those that gave one, by number. */
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
  // Its channel may be closed already: then it is on its way out.
  if (child?.connected === true) child.send(message, () => undefined);
}
