import type { AuditEvent } from '../ports/audit-log.ts';
import type { ChangeOutcome, StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { keptVersionsMax } from './history/history-limits.ts';
import type { RegistryNeeds } from './registry-needs.ts';

/** A failed attempt means that another request succeeded, so this many in a row are no coincidence. */
const ATTEMPTS_MAX = 100;

/** Lets the changes of one client that lost a race go one after another. */
export class ContestedChanges {
  readonly #last = new Map<ClientId, Promise<void>>();

  async inTurn<Result>(client_id: ClientId, act: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(client_id);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last.set(client_id, promise);
    try {
      await before;
      return await act();
    } finally {
      if (this.#last.get(client_id) === promise) this.#last.delete(client_id);
      resolve();
    }
  }
}

/** A change that begins again with the current record when another request was faster. */
export interface Attempt<Found, Result> {
  readonly find: () => Promise<Found>;
  readonly act: (found: Found) => Promise<{ readonly outcome: ChangeOutcome; readonly result: Result }>;
  readonly clientOf: (found: Found) => ClientId;
}

/**
 * Finds a client and changes it; retries with the current record after a lost race. The first attempt waits for no other. Those
 * that lose wait for each other: a hundred changes at once are then two hundred attempts, and not five thousand.
 * @throws Error after `ATTEMPTS_MAX` lost races; what `find` and `act` throw
 */
export async function untilUncontested<Found, Result>(
  { contested }: Pick<RegistryNeeds, 'contested'>,
  { find, act, clientOf }: Attempt<Found, Result>,
): Promise<Result> {
  const found = await find();
  const first = await act(found);
  if (first.outcome === 'done') return first.result;
  return await contested.inTurn(clientOf(found), async () => {
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      const { outcome, result } = await act(await find());
      if (outcome === 'done') return result;
    }
    throw new Error(`other requests changed the client during each of ${ATTEMPTS_MAX} attempts`);
  });
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
