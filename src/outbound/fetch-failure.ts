import type { Clock } from '../ports/clock.ts';
import type { OutboundFailure, OutboundProblem } from '../ports/outbound-http.ts';

/** Ends a fetch. `outbound-http.ts` turns it into a `Fetched`; it never leaves this folder. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly reason: OutboundFailure;
  /** Whether a retry may succeed although the document stays as it is. */
  readonly passing: boolean;

  constructor(reason: OutboundFailure, detail: string, options: ErrorOptions & { passing?: boolean } = {}) {
    super(detail, options);
    this.reason = reason;
    this.passing = options.passing ?? (PASSING.has(reason) && !isUnknownName(options.cause));
  }
}

/** Failures without an answer of the other server. */
const PASSING: ReadonlySet<OutboundFailure> = new Set([
  'busy',
  'gave-way',
  'timeout',
  'connection',
  'unresolvable',
]);

/** Codes of c-ares for an answer that has no such name or no such record. */
const UNKNOWN_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

const isUnknownName = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && UNKNOWN_NAME.has(cause.code);

/** Makes a FetchFailure with this reason and the message of Node's error. Returns a FetchFailure unchanged. */
export function failureFrom(cause: unknown, reason: OutboundFailure): FetchFailure {
  if (cause instanceof FetchFailure) return cause;
  const code = cause instanceof Error && 'code' in cause ? `${String(cause.code)}: ` : '';
  return new FetchFailure(reason, code + (cause instanceof Error ? cause.message : String(cause)), { cause });
}

export interface FailureMemoryNeeds {
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly lifetimeMs: number;
  /** Beyond this number the oldest failure is evicted. */
  readonly entriesMax: number;
}

/** A negative cache of fetches, so that a dead document is not fetched again at once. */
export class FailureMemory {
  readonly #needs: FailureMemoryNeeds;
  readonly #failures = new Map<string, { readonly until: number; readonly problem: OutboundProblem }>();

  constructor(needs: FailureMemoryNeeds) {
    this.#needs = needs;
  }

  /** Returns the failure as `recently-failed`, with the seconds until a retry if a retry may succeed. */
  find(key: string): OutboundProblem | undefined {
    const found = this.#failures.get(key);
    if (found === undefined) return undefined;
    const { problem, until } = found;
    const now = this.#needs.clock.milliseconds();
    if (now < until) {
      const retryAfter =
        problem.retryAfter === undefined ? {} : { retryAfter: Math.ceil((until - now) / 1000) };
      return { reason: 'recently-failed', detail: `${problem.reason}: ${problem.detail}`, ...retryAfter };
    }
    this.#failures.delete(key);
    return undefined;
  }

  remember(key: string, problem: OutboundProblem): void {
    const { clock, lifetimeMs, entriesMax } = this.#needs;
    if (lifetimeMs === 0) return;
    this.#failures.delete(key);
    this.#failures.set(key, { until: clock.milliseconds() + lifetimeMs, problem });
    const oldest = this.#failures.keys().next();
    if (this.#failures.size > entriesMax && oldest.done !== true) this.#failures.delete(oldest.value);
  }
}
