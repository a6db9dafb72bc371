import type { AuditEvent } from '../ports/audit-log.ts';
import type { ChangeOutcome, StoredClient } from '../ports/client-store.ts';
import type { RegistryNeeds } from './registry-needs.ts';

/** Each round that fails means that another request succeeded; this many in a row do not happen by chance. */
const ROUNDS_MAX = 100;

/** Acts on the client as it is: a lost race is not an error but a reason to look again. */
export async function untilUncontested<Found, Result>(
  find: () => Promise<Found>,
  act: (found: Found) => Promise<{ outcome: ChangeOutcome; result: Result }>,
): Promise<Result> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const { outcome, result } = await act(await find());
    if (outcome === 'done') return result;
  }
  throw new Error('a client was changed by others in every round');
}

/** Stores a changed client with its event, and logs the event once it is stored. */
export async function storeChange(
  needs: Pick<RegistryNeeds, 'clients' | 'log'>,
  changed: StoredClient,
  expectedVersion: number,
  event: AuditEvent,
): Promise<ChangeOutcome> {
  const outcome = await needs.clients.replace(changed, expectedVersion, event);
  if (outcome === 'done') needs.log.info({ ...event }, 'audit');
  return outcome;
}

/** Ends a client with its event. */
export async function storeEnd(
  needs: Pick<RegistryNeeds, 'clients' | 'log'>,
  client: StoredClient,
  event: AuditEvent,
): Promise<ChangeOutcome> {
  const outcome = await needs.clients.delete(client, event);
  if (outcome === 'done') needs.log.info({ ...event }, 'audit');
  return outcome;
}
