import type { ClientChange, ClientConflict, StoredClient } from '../ports/client-store.ts';
import type { ClientId } from '../spec/identifiers.ts';

type Present = Pick<StoredClient, 'instance' | 'version'>;

/** Returns the identifiers of the clients that a batch changes, each once. */
export function clientsOf(changes: readonly ClientChange[]): readonly ClientId[] {
  return [...new Set(changes.map(({ client }) => client.client_id))];
}

/**
 * Returns the changes that cannot be done, in the order of the batch.
 * @param stored the clients of the batch that are stored, as the transaction sees them
 */
export function conflictsOf(
  changes: readonly ClientChange[],
  stored: ReadonlyMap<ClientId, Present>,
): readonly ClientConflict[] {
  const present = new Map(stored);
  return changes.flatMap((change, index) => {
    const reason = conflictOf(change, present.get(change.client.client_id));
    if (reason !== undefined) return [{ index, reason }];
    // Later changes of the batch meet what this one leaves.
    if (change.kind === 'delete') present.delete(change.client.client_id);
    else present.set(change.client.client_id, change.client);
    return [];
  });
}

function conflictOf(
  change: ClientChange,
  present: Present | undefined,
): ClientConflict['reason'] | undefined {
  if (change.kind === 'create') return present === undefined ? undefined : 'taken';
  if (present === undefined) return 'absent';
  const version = change.kind === 'replace' ? change.expectedVersion : change.client.version;
  const isSame = present.instance === change.client.instance && present.version === version;
  return isSame ? undefined : 'changed_meanwhile';
}
