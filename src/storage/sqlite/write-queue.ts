import type { VerbName, Write } from '../verbs.ts';

/** Writes that remove or move many rows, and that no request waits for. */
const PATIENT: ReadonlySet<string> = new Set([
  'accessTokens.sweepExpired',
  'accounts.sweepExpired',
  'audit.sweep',
  'authorizationCodes.sweepExpired',
  'clientHistory.sweep',
  'database.giveBackPages',
  'eventStreams.sweep',
  'grants.sweepExpired',
  'interactions.sweepExpired',
  'logoutNotifications.sweepSettled',
  'rates.sweepExpired',
  'replays.sweepExpired',
  'sessions.sweepExpired',
  'tenants.clear',
  'webhooks.sweepFailed',
] satisfies VerbName[]);

/** Says whether a write gives way to those of requests. */
export const isPatient = ({ name }: Pick<Write, 'name'>): boolean => PATIENT.has(name);

/** A patient write waits this long at most while others come without a pause: 500 rows each time are 25,000 a second. */
const PATIENCE_MS = 20;
/** A commit shares at most this many writes, so that the first does not wait too long for the last. */
const BATCH_WRITES_MAX = 1024;

/** Writes that were sent together. All of them are patient, or none is. */
export interface QueuedWrites {
  readonly writes: readonly Write[];
}

/**
 * The order of commits. Many writes share one; a patient one has a commit of its own, so that no request waits for its rows. It
 * comes when nothing else waits, or when it has waited for long enough.
 */
export class WriteQueue<Sent extends QueuedWrites> {
  readonly #urgent: Sent[] = [];
  readonly #patient: { readonly sent: Sent; readonly since_ms: number }[] = [];

  add(sent: Sent, now_ms: number): void {
    if (sent.writes.some(isPatient)) this.#patient.push({ sent, since_ms: now_ms });
    else this.#urgent.push(sent);
  }

  /** Takes what the next commit has; nothing if nothing waits. */
  next(now_ms: number): readonly Sent[] {
    const [oldest] = this.#patient;
    if (oldest !== undefined && (this.#urgent.length === 0 || now_ms - oldest.since_ms >= PATIENCE_MS)) {
      this.#patient.shift();
      return [oldest.sent];
    }
    let count = 0;
    let taken = 0;
    for (const { writes } of this.#urgent) {
      if (taken > 0 && count + writes.length > BATCH_WRITES_MAX) break;
      count += writes.length;
      taken += 1;
    }
    return this.#urgent.splice(0, taken);
  }
}
