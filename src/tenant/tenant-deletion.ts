import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { TableRows, TenantStore } from '../ports/tenant-store.ts';
import type { TenantId } from '../spec/identifiers.ts';

export interface DeletionNeeds {
  readonly tenants: Pick<TenantStore, 'clear' | 'endDeletion'>;
  readonly clock: Clock;
  /** Rows that one write deletes, so that other writes do not wait long. */
  readonly batch: number;
}

export interface DeletionRun {
  /** Names the actor in the event of the last row. */
  readonly actor: string;
  readonly request_id: string;
  /** Called after each write. Returns whether to go on: what is left waits for the next run. */
  readonly goOn: (removed: TableRows) => boolean | Promise<boolean>;
}

/**
 * Removes the rows of a tenant whose deletion has begun, and then frees its names. A run that ends early, or is killed, is
 * repeated; several may run at once.
 * @returns whether no row is left
 */
export async function removeTenantRows(
  { tenants, clock, batch }: DeletionNeeds,
  id: TenantId,
  { actor, request_id, goOn }: DeletionRun,
): Promise<boolean> {
  let from: string | undefined;
  while (true) {
    const removed = await tenants.clear(id, batch, from);
    if (removed === undefined && from === undefined) break;
    // The last look begins with the first table again: a request under way may have written there meanwhile.
    from = removed?.table;
    if (removed !== undefined && !(await goOn(removed))) return false;
  }
  const at = clock.now();
  const event: AuditEvent = {
    at,
    action: 'tenant.clear',
    outcome: 'done',
    actor,
    client_id: null,
    request_id,
    detail: id,
  };
  await tenants.endDeletion(id, at, event);
  return true;
}
