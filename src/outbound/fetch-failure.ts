import { type Clock } from '../ports/clock.ts';
import { type OutboundFailure, type OutboundProblem } from '../ports/outbound-http.ts';

/** Ends a fetch; turned into a `Fetched` before it leaves this folder. */
export class FetchFailure extends Error {
  override readonly name = 'FetchFailure';
  readonly reason: OutboundFailure;

  constructor(reason: OutboundFailure, detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.reason = reason;
  }
}

/** `reason` with the words of the error that a step of Node ended in. */
export function failureFrom(cause: unknown, reason: OutboundFailure): FetchFailure {
  if (cause instanceof FetchFailure) return cause;
  const code = cause instanceof Error && 'code' in cause ? `${String(cause.code)}: ` : '';
  return new FetchFailure(reason, code + (cause instanceof Error ? cause.message : String(cause)), { cause });
}

export interface FailureMemoryNeeds {
  readonly clock: Pick<Clock, 'milliseconds'>;
  readonly lifetimeMs: number;
  /** When full, the oldest failure is forgotten. */
  readonly entriesMax: number;
}

/** What failed lately, so that a dead document is not asked for again and again (a negative cache). */
export class FailureMemory {
  readonly #needs: FailureMemoryNeeds;
  readonly #failures = new Map<string, { readonly until: number; readonly problem: OutboundProblem }>();

  constructor(needs: FailureMemoryNeeds) {
    this.#needs = needs;
  }

  find(key: string): OutboundProblem | undefined {
    const found = this.#failures.get(key);
    if (found === undefined) return undefined;
    if (this.#needs.clock.milliseconds() < found.until) return found.problem;
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
