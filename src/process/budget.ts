import type { Elapsed } from '../system/clock.ts';

export interface BudgetSize {
  readonly perSecond: number;
  /** How much may be spent at once after a rest. */
  readonly burst: number;
}

/**
 * An amount that refills with time. Spending may bring it below zero, because the price of some acts is known only
 * afterwards. The next act then waits until it is above zero again.
 */
export class Budget {
  readonly #size: BudgetSize;
  readonly #elapsed: Elapsed;
  #left: number;
  #counted_at: number;

  constructor(size: BudgetSize, elapsed: Elapsed) {
    this.#size = size;
    this.#elapsed = elapsed;
    this.#left = size.burst;
    this.#counted_at = elapsed.seconds();
  }

  /** Returns the seconds until `amount` is there; 0 if it is there now. */
  wait(amount: number): number {
    this.#refill();
    return Math.max(0, (amount - this.#left) / this.#size.perSecond);
  }

  spend(amount: number): void {
    this.#refill();
    this.#left -= amount;
  }

  #refill(): void {
    const { perSecond, burst } = this.#size;
    const now = this.#elapsed.seconds();
    this.#left = Math.min(burst, this.#left + (now - this.#counted_at) * perSecond);
    this.#counted_at = now;
  }
}
