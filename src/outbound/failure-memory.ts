import type { Clock } from '../ports/clock.ts';
import type { OutboundProblem } from '../ports/outbound-http.ts';

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
