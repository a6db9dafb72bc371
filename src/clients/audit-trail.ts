import type { AuditEvent, AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';
import { Problem } from '../spec/problems.ts';
import { type SweepNeeds, sweepExpired } from '../tokens/sweep.ts';

/** The facts about one change of the registry, collected while it runs. Each step fills in what it learns. */
export interface AuditTrail {
  readonly action: AuditEvent['action'];
  readonly request_id: string;
  /** Why the operator acts, in the words of the request or command. */
  reason?: string;
  actor: string;
  client_id: string | null;
}

export interface AuditNeeds {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
}

/** Makes the event of a successful change. Store it in the same write as the change. */
export function doneEvent(needs: AuditNeeds, trail: AuditTrail, detail: string | null = null): AuditEvent {
  return { ...trail, at: needs.clock.now(), outcome: 'done', detail };
}

/**
 * Records an event that belongs to no other write. Callers do not wait for it; a failure goes to the log
 * only.
 */
export function record(needs: AuditNeeds, event: AuditEvent): void {
  needs.log.info({ ...event }, 'audit');
  needs.audit.append(event).catch((cause: unknown) => {
    needs.log.error({ cause, action: event.action }, 'an audit event could not be recorded');
  });
}

/** Actors that show no credential that this server issued or its operator configured. */
const STRANGERS: ReadonlySet<string> = new Set(['unknown', 'open']);

/**
 * Runs one operation on the registry and records the refusal of an authenticated party. A refused stranger is in the log
 * and the counters only (decision 46): otherwise anyone could fill the database. A successful operation records its own
 * event, because it must be stored together with the change.
 * @throws what `act` throws
 */
export async function audited<T>(
  needs: AuditNeeds,
  action: AuditEvent['action'],
  request_id: string,
  act: (trail: AuditTrail) => Promise<T>,
): Promise<T> {
  const trail: AuditTrail = { action, request_id, actor: 'unknown', client_id: null };
  try {
    return await act(trail);
  } catch (failure) {
    const detail = refusalCode(failure);
    if (detail !== undefined && !STRANGERS.has(trail.actor))
      record(needs, { ...trail, at: needs.clock.now(), outcome: 'refused', detail });
    throw failure;
  }
}

/** Returns the error code of a refusal; undefined for a fault of the server. */
export function refusalCode(failure: unknown): string | undefined {
  if (failure instanceof OAuthError) return failure.code;
  if (failure instanceof Problem) return failure.code;
  if (failure instanceof TooManyRequests) return 'too_many_requests';
  return failure instanceof NotFound ? 'not_found' : undefined;
}

export interface AuditSweepNeeds extends Omit<SweepNeeds, 'store' | 'what'> {
  readonly audit: Pick<AuditLog, 'sweep'>;
  /** Seconds that an event is kept; 0 = for ever. */
  readonly lifetime: number;
}

/**
 * Deletes audit events that are older than `lifetime`.
 * @returns the number of deleted events. A failure is logged, and the next sweep tries again
 */
export async function sweepAuditEvents({ audit, lifetime, ...needs }: AuditSweepNeeds): Promise<number> {
  if (lifetime === 0) return 0;
  const store = {
    sweepExpired: async (now: number, limit: number) => await audit.sweep(now - lifetime, limit),
  };
  return await sweepExpired({ ...needs, store, what: 'audit events' });
}
