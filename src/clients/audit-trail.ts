import type { AuditEvent, AuditLog } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { NotFound, OAuthError, TooManyRequests } from '../spec/errors.ts';

/** What is known so far of one act on the registry: whoever establishes something writes it down here. */
export interface AuditTrail {
  readonly action: AuditEvent['action'];
  readonly request_id: string;
  actor: string;
  client_id: string | null;
}

export interface AuditNeeds {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
}

/** The event of an act that succeeds; a change is stored together with it. */
export function doneEvent(needs: AuditNeeds, trail: AuditTrail, detail: string | null = null): AuditEvent {
  return { ...trail, at: needs.clock.now(), outcome: 'done', detail };
}

/** Records an act that changes nothing else. Nobody waits for it, and a failure is in the log only. */
export function record(needs: AuditNeeds, event: AuditEvent): void {
  needs.log.info({ ...event }, 'audit');
  needs.audit.append(event).catch((cause: unknown) => {
    needs.log.error({ cause, action: event.action }, 'an audit event could not be recorded');
  });
}

/**
 * Runs one act on the registry. A refusal is recorded here, so that there is exactly one event for it wherever it came
 * from; an act that succeeds records its own, because a change must be stored with it.
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
    if (detail !== undefined) record(needs, { ...trail, at: needs.clock.now(), outcome: 'refused', detail });
    throw failure;
  }
}

/** Undefined for a fault of ours, which is no refusal. */
function refusalCode(failure: unknown): string | undefined {
  if (failure instanceof OAuthError) return failure.code;
  if (failure instanceof TooManyRequests) return 'too_many_requests';
  return failure instanceof NotFound ? 'not_found' : undefined;
}

export interface AuditSweepNeeds {
  readonly audit: Pick<AuditLog, 'sweep'>;
  readonly clock: Clock;
  readonly log: Log;
  /** For how long an event is kept, in seconds; 0 = for ever. */
  readonly lifetime: number;
  /** Rows removed by one write, so that no other write waits long. */
  readonly batch: number;
}

/**
 * Removes audit events that are older than they are kept. Anyone may cause refusals, so without this anyone could fill
 * the disk. A failure is logged: the next sweep does the same work again.
 */
export async function sweepAuditEvents(needs: AuditSweepNeeds): Promise<number> {
  if (needs.lifetime === 0) return 0;
  const before = needs.clock.now() - needs.lifetime;
  let removed = 0;
  try {
    while (true) {
      const count = await needs.audit.sweep(before, needs.batch);
      removed += count;
      if (count < needs.batch) return removed;
    }
  } catch (cause) {
    needs.log.error({ cause }, 'old audit events could not be swept');
    return removed;
  }
}
