/** The time that one count covers. */
const WINDOW_MS = 15_000;
/** Fewer failures may concern one record, or a moment. */
const FAILURES_MIN = 5;
/** One damaged page fails again with each request for it. It must not make the whole server unready. */
const FAILED_SHARE_MIN = 0.1;

interface Count {
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
  reads: number;
  failures: number;
}

/**
 * Counts the reads of one process that failed because of the disk or the file, against all reads. A failed read costs the
 * request that needs it; only many of them make the process unready. It is ready again when reads succeed for a window.
 */
export class FailedReads {
  readonly #now: () => number;
  readonly #isFailure: (error: unknown) => boolean;
  readonly #onFailure: () => void;
  #current: Count;
  #previous: Count | undefined;
  #newest = '';

  /**
   * @param now milliseconds of a monotonic clock
   * @param isFailure whether the disk or the data caused the error; other errors concern the values of one request
   */
  constructor(now: () => number, isFailure: (error: unknown) => boolean, onFailure = (): void => undefined) {
    this.#now = now;
    this.#isFailure = isFailure;
    this.#onFailure = onFailure;
    this.#current = { since: now(), reads: 0, failures: 0 };
  }

  /** Returns a read that is counted, with its failure if it has one. */
  counted<Values extends readonly unknown[], Result>(
    read: (...values: Values) => Result,
  ): (...values: Values) => Result {
    const note = (error: unknown): never => {
      this.failed(error);
      throw error;
    };
    return (...values) => {
      this.began();
      try {
        const result = read(...values);
        return result instanceof Promise ? (result.catch(note) as Result) : result;
      } catch (error) {
        return note(error);
      }
    };
  }

  /** Counts a read that begins. */
  began(): void {
    this.#current.reads += 1;
  }

  /** Counts the failure of a read that was counted. */
  failed(error: unknown): void {
    if (!this.#isFailure(error)) return;
    this.#onFailure();
    this.#turnOver();
    this.#current.failures += 1;
    this.#newest = error instanceof Error ? error.message : String(error);
  }

  /** Returns one line if reads fail again and again; undefined otherwise. */
  problem(): string | undefined {
    this.#turnOver();
    const failing = [this.#previous, this.#current].find((count) => count !== undefined && isFailing(count));
    if (failing === undefined) return undefined;
    return `${failing.failures} of ${failing.reads} reads failed: ${this.#newest}`;
  }

  #turnOver(): void {
    const now = this.#now();
    if (now < this.#current.since + WINDOW_MS) return;
    this.#previous = now < this.#current.since + 2 * WINDOW_MS ? this.#current : undefined;
    this.#current = { since: now, reads: 0, failures: 0 };
  }
}

const isFailing = ({ reads, failures }: Count): boolean =>
  failures >= FAILURES_MIN && failures >= reads * FAILED_SHARE_MIN;
