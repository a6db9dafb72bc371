import type { Clock } from '../../ports/clock.ts';
import type { BoundedMap } from '../../spec/bounded-map.ts';
import { type Caches, SLOT_BYTES, textBytes } from '../../spec/caches.ts';
import type { Reason } from '../reason.ts';

interface Failure {
  readonly reason: Reason;
  /** In milliseconds. */
  readonly until: number;
}

/** The object with its time, and the words of its reason. */
const FAILURE_BYTES = SLOT_BYTES + 400;

export interface FailedStatementsNeeds {
  readonly clock: Pick<Clock, 'milliseconds'>;
  /** The time for which a failed address is not asked again. 0 remembers nothing. */
  readonly keptMs: number;
  readonly caches: Caches;
}

/**
 * Remembers for a short while which statements could not be had, so that dead addresses are not asked again at once. Nothing
 * is known about the trust meanwhile: anyone can cause the failed fetch of an entity that enrols a moment later.
 */
export class FailedStatements {
  readonly #needs: FailedStatementsNeeds;
  readonly #failures: BoundedMap<string, Failure>;

  constructor(needs: FailedStatementsNeeds) {
    this.#needs = needs;
    this.#failures = needs.caches.open<string, Failure>('entity-statements', {
      weigh: (_, url) => FAILURE_BYTES + textBytes(url),
    });
  }

  /** Returns the reason of a failure a moment ago, with the seconds until the address is asked again. */
  find(url: string): Reason | undefined {
    const failure = this.#failures.get(url);
    if (failure === undefined) return undefined;
    const leftMs = failure.until - this.#needs.clock.milliseconds();
    if (leftMs <= 0) return undefined;
    const { code, detail = '' } = failure.reason;
    return {
      code: 'fetch_recently-failed',
      words: 'an entity statement could not be fetched a moment ago',
      detail: `${code}: ${detail}`,
      retryAfter: Math.ceil(leftMs / 1000),
    };
  }

  /** Remembers a failure, and returns the reason to tell. A retry has sense when the address is asked again. */
  note(url: string, reason: Reason): Reason {
    const { clock, keptMs } = this.#needs;
    if (keptMs === 0) return reason;
    this.#failures.set(url, { reason, until: clock.milliseconds() + keptMs });
    return reason.retryAfter === undefined ? reason : { ...reason, retryAfter: Math.ceil(keptMs / 1000) };
  }
}
