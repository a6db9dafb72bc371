import type { DatabaseSync } from 'node:sqlite';
import type { ChangeOutcome, ClientChange, ClientStore, CreateOutcome } from '../../ports/client-store.ts';
import type { ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import { clientsOf, conflictsOf } from '../client-conflicts.ts';
import type { OfTenant, ResultOf, ValuesOf } from '../verbs.ts';

/** The single changes, prepared. */
type Single = {
  readonly [Verb in 'create' | 'replace' | 'delete']: (
    ...values: ValuesOf<OfTenant<ClientStore>[Verb]>
  ) => ResultOf<ClientStore[Verb]> | Promise<ResultOf<ClientStore[Verb]>>;
};

/** Changes clients together. It finds every conflict before it writes anything, so that a conflict leaves nothing behind. */
export function changingTogether(
  database: DatabaseSync,
  single: Single,
): (tenant: TenantId, changes: readonly ClientChange[]) => ReturnType<typeof conflictsOf> {
  const find = database.prepare('SELECT instance, version FROM client WHERE tenant = ? AND client_id = ?');
  return (tenant, changes) => {
    const stored = clientsOf(changes).flatMap((client_id) => {
      const row = find.get(tenant, client_id);
      return row === undefined ? [] : [[client_id, row as unknown as Version] as const];
    });
    const conflicts = conflictsOf(changes, new Map<ClientId, Version>(stored));
    if (conflicts.length > 0) return conflicts;
    for (const change of changes) {
      const outcome = execute(single, tenant, change);
      // The writer undoes a write that throws.
      if (outcome !== 'created' && outcome !== 'done')
        throw new Error(`a ${change.kind} of a batch of clients was refused`);
    }
    return [];
  };
}

interface Version {
  readonly instance: ClientInstance;
  readonly version: number;
}

function execute(
  { create, replace, delete: remove }: Single,
  tenant: TenantId,
  change: ClientChange,
): CreateOutcome | ChangeOutcome | Promise<unknown> {
  const { event } = change;
  if (change.kind === 'create')
    return create(tenant, change.client, { reuseDeletedId: true, now: event.at, event });
  if (change.kind === 'replace')
    return replace(tenant, change.client, change.expectedVersion, event, change.versionsMax);
  return remove(tenant, change.client, event, change.isKept);
}
