import { type AuditTrail, audited } from '../clients/audit-trail.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import { systemRandom } from '../system/random.ts';

/** The name of the command line in the audit, and in clients that it registers. */
export const ACTOR = 'cli';

const REQUEST_ID_LENGTH = 16;

/** Returns a random id that joins the audit events of one call of a command. */
export const newRequestId = (): string => systemRandom.alphanumeric(REQUEST_ID_LENGTH);

/** Returns the audit event of an act that concerns no client and is its own request. */
export function commandEvent(
  at: number,
  action: AuditEvent['action'],
  detail: string | null = null,
): AuditEvent {
  const request_id = newRequestId();
  return { at, action, outcome: 'done', actor: ACTOR, client_id: null, request_id, detail };
}

/** Acts, and records the act in the audit with the command line as its actor. */
export async function auditedAct<T>(
  { needs, request_id }: { readonly needs: RegistryNeeds; readonly request_id: string },
  action: AuditEvent['action'],
  act: (trail: AuditTrail) => Promise<T>,
): Promise<T> {
  return await audited(needs, action, request_id, async (trail) => {
    trail.actor = ACTOR;
    return await act(trail);
  });
}
