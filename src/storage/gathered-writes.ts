import { StorageUnavailable } from '../ports/storage.ts';
import { refuseNul } from './nul.ts';
import type {
  Answer,
  Write,
  WriteArguments,
  WriteChannel,
  WriteName,
  WriteResults,
  Writes,
} from './write.ts';

/** Beyond this the disk does not keep up, and another write would only wait longer. */
const UNANSWERED_WRITES_MAX = 20_000;

interface Waiting {
  readonly write: Write;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** Sends all writes of one event-loop turn together. */
export class GatheredWrites implements Writes {
  readonly #channel: WriteChannel;
  #gathered: Waiting[] = [];
  #unanswered = 0;
  #closing = false;
  #drained: (() => void) | undefined;

  constructor(channel: WriteChannel) {
    this.#channel = channel;
  }

  /** Resolves when the write is durable. */
  write<Name extends WriteName>(name: Name, values: WriteArguments[Name]): Promise<WriteResults[Name]> {
    return new Promise((resolve, reject) => {
      if (this.#closing) throw new StorageUnavailable('the storage is closed');
      if (this.#unanswered >= UNANSWERED_WRITES_MAX)
        throw new StorageUnavailable('too many writes are waiting');
      refuseNul(values);
      this.#unanswered += 1;
      if (this.#gathered.length === 0) setImmediate(() => void this.#send());
      const write = { name, ...values } as unknown as Write;
      this.#gathered.push({ write, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  /** Refuses further writes and resolves when those under way are answered. */
  async drain(): Promise<void> {
    this.#closing = true;
    if (this.#unanswered === 0) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  async #send(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    try {
      const answers = await this.#channel.send(gathered.map((waiting) => waiting.write));
      gathered.forEach((waiting, index) => settle(waiting, answers[index]));
    } catch (error) {
      for (const waiting of gathered) waiting.reject(error as Error);
    }
    this.#unanswered -= gathered.length;
    if (this.#unanswered === 0) this.#drained?.();
  }
}

function settle(waiting: Waiting, answer: Answer | undefined): void {
  if (answer === undefined) waiting.reject(new StorageUnavailable('the write was not answered'));
  else if ('refused' in answer) waiting.reject(new Error(answer.refused));
  else waiting.resolve(answer.value);
}
