import assert from 'node:assert/strict';

/** Reproducible choices: mulberry32. */
export interface Choices {
  /** An integer from 0 to below `count`. */
  below(count: number): number;
  among<T>(values: readonly T[]): T;
}

export function choices(seed: number): Choices {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    among(values) {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error('nothing to choose from');
      return value;
    },
  };
}

/** The past, present and possible next state of a record: `undefined` if it does not exist. It changes once at a time. */
export class RecordModel<Value> {
  readonly #states: (Value | undefined)[] = [undefined];
  #acknowledged = 0;

  /** Returns the state after every change is acknowledged. */
  get latest(): Value | undefined {
    return this.#states.at(-1);
  }

  /** From now on the new state may be seen. */
  begin(value: Value | undefined): void {
    this.#states.push(value);
  }

  /** From now on older states must not be seen. */
  acknowledge(): void {
    this.#acknowledged = this.#states.length - 1;
  }

  /** Call it when a question is put, and what it gives with the answer. */
  question(): (answer: Value | undefined) => void {
    const oldest = this.#acknowledged;
    return (answer) => {
      const possible = this.#states.slice(oldest);
      const isOne = possible.some((state) => isSame(state, answer));
      if (!isOne) assert.deepEqual(answer, possible.at(-1), 'a stale answer');
    };
  }
}

function isSame(one: unknown, other: unknown): boolean {
  try {
    assert.deepEqual(one, other);
    return true;
  } catch {
    return false;
  }
}
