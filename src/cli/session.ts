import { type AuditTrail, audited } from '../clients/audit-trail.ts';
import type { RegistryNeeds } from '../clients/registry-needs.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import { systemRandom } from '../system/random.ts';
import { calledWrongly } from './failure.ts';
import type { RegistrySession, StorageSession } from './registry-session.ts';
import type { Access, RegistryCall, StorageCall } from './settings.ts';

/** The sentence about servers for every command that uses the database beside them. */
export const BESIDE_SERVERS =
  'Servers may run on the same database meanwhile. They act on a change from their next request on.';

/** The sentence about servers for commands that only read; the audit may record them. */
export const READS_BESIDE_SERVERS = 'Servers may run on the same database meanwhile. The command only reads.';

/** Opens the storage, acts on it, and closes it. */
export async function withStorage<T>(
  call: StorageCall,
  access: Access,
  act: (session: StorageSession) => Promise<T>,
): Promise<T> {
  const { openedStorage } = await import('./registry-session.ts');
  return await openedStorage(call, access, act);
}

/** Opens the registry of one tenant, acts on it, and closes it. A refusal of the registry becomes one line. */
export async function withRegistry<T>(
  call: RegistryCall,
  access: Access,
  act: (session: RegistrySession) => Promise<T>,
): Promise<T> {
  const { openedRegistry } = await import('./registry-session.ts');
  return await openedRegistry(call, access, { request_id: newRequestId(), act });
}

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

const REASON_MAX = 200;

/** The option of commands that change something an operator may want to explain. */
export const REASON_OPTION = {
  reason: {
    kind: 'text',
    value: 'TEXT',
    words: `Says why, for the audit and the history: at most ${REASON_MAX} characters.`,
  },
} as const;

/** Acts, and records the act in the audit with the command line as its actor. */
export async function auditedAct<T>(
  { needs, request_id }: { readonly needs: RegistryNeeds; readonly request_id: string },
  action: AuditEvent['action'],
  act: (trail: AuditTrail) => Promise<T>,
  reason?: string,
): Promise<T> {
  if (reason !== undefined && reason.length > REASON_MAX)
    throw calledWrongly(`--reason takes at most ${REASON_MAX} characters`);
  return await audited(needs, action, request_id, async (trail) => {
    trail.actor = ACTOR;
    if (reason !== undefined) trail.reason = reason;
    return await act(trail);
  });
}
