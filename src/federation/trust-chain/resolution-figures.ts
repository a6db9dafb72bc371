import type { ResolutionOutcome } from '../../ports/metrics.ts';
import type { ReasonCode } from '../reason.ts';
import type { Resolution } from './resolve-trust.ts';

/** Reasons that are no verdict about the entity: time ran out. */
const TIMEOUTS: ReadonlySet<ReasonCode> = new Set(['time_exhausted', 'fetch_timeout']);

/**
 * Returns how a resolution ended. A resolution without a chain that may be repeated was `busy` if the limits of this server
 * stopped it, and `unavailable` if another server gave no answer.
 */
export function outcomeOf({ chain, reason, retryAfter }: Resolution): ResolutionOutcome {
  if (chain !== undefined) return 'valid';
  if (reason !== undefined && TIMEOUTS.has(reason.code)) return 'timeout';
  if (retryAfter === undefined) return 'refused';
  const isOurs = reason?.retryAfter === undefined || BUSY.has(reason.code);
  return isOurs ? 'busy' : 'unavailable';
}

const BUSY: ReadonlySet<ReasonCode> = new Set(['fetch_busy', 'fetch_gave-way']);

/** Remembers when the configurations of the trust anchors expire, as the latest chains had them. */
export class AnchorExpiries {
  readonly #expiries = new Map<string, number>();

  note({ chain }: Pick<Resolution, 'chain'>): void {
    const configuration = chain?.statements.at(-1);
    if (configuration !== undefined) this.#expiries.set(configuration.sub, configuration.exp);
  }

  /** Returns the earliest expiry after `now`, in seconds since the Unix epoch; undefined without one. */
  nearest(now: number): number | undefined {
    const coming = [...this.#expiries.values()].filter((expiry) => expiry > now);
    return coming.length === 0 ? undefined : Math.min(...coming);
  }
}
