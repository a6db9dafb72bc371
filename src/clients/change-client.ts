import type { AuditEvent } from '../ports/audit-log.ts';
import type { ChangeOutcome, StoredClient } from '../ports/client-store.ts';
import { keptVersionsMax } from './history/history-limits.ts';
import type { RegistryNeeds } from './registry-needs.ts';

/** A failed attempt means that another request succeeded, so this many in a row are no coincidence. */
const ATTEMPTS_MAX = 100;

/**
 * Finds a client and changes it; retries with the current record after a lost race.
 * @throws Error after `ATTEMPTS_MAX` lost races; what `find` and `act` throw
 */
export async function untilUncontested<Found, Result>(
  find: () => Promise<Found>,
  act: (found: Found) => Promise<{ outcome: ChangeOutcome; result: Result }>,
): Promise<Result> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { outcome, result } = await act(await find());
    if (outcome === 'done') return result;
  }
  throw new Error(`other requests changed the client during each of ${ATTEMPTS_MAX} attempts`);
}

/** Replaces a client if it still has `expectedVersion`, together with its event, and keeps the version before. */
export async function writeChange(
  needs: Pick<RegistryNeeds, 'clients' | 'settings'>,
  changed: StoredClient,
  expectedVersion: number,
  event: AuditEvent,
): Promise<ChangeOutcome> {
  return await needs.clients.replace(changed, expectedVersion, event, keptVersionsMax(needs.settings));
}

/** Does what `writeChange` does, and logs the event after the write. */
export async function storeChange(
  needs: Pick<RegistryNeeds, 'clients' | 'log' | 'settings'>,
  changed: StoredClient,
  expectedVersion: number,
  event: AuditEvent,
): Promise<ChangeOutcome> {
  const outcome = await writeChange(needs, changed, expectedVersion, event);
  if (outcome === 'done') needs.log.info({ ...event }, 'audit');
  return outcome;
}

/**
 * Deletes a client with its tokens, together with its event. Logs the event after the write.
 * @param isKept whether the client can be restored
 */
export async function storeEnd(
  needs: Pick<RegistryNeeds, 'clients' | 'log'>,
  client: StoredClient,
  event: AuditEvent,
  isKept = false,
): Promise<ChangeOutcome> {
  const outcome = await needs.clients.delete(client, event, isKept);
  if (outcome === 'done') needs.log.info({ ...event }, 'audit');
  return outcome;
}
