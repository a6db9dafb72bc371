import type { HistorySweep } from './client-history.ts';
import type { ClientEndTimes } from './client-store.ts';

/** Times in seconds since the Unix epoch. */
export interface SweepTimes extends ClientEndTimes, Omit<HistorySweep, 'deletedMax'> {
  /** Logout notifications that were settled before this time go. */
  readonly settledBefore: number;
  /** Audit events from before this time go, and deliveries of webhooks that failed before it. */
  readonly auditedBefore: number;
}

/** Questions of the periodic work about everything that a tenant has. */
export interface UpkeepStore {
  /** Tells whether a sweep would find anything: expired rows, or clients whose registration has expired. */
  isDue(times: SweepTimes): Promise<boolean>;
}
