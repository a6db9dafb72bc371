import type { StoredTenant, TenantChange, TenantConflict } from '../ports/tenant-store.ts';
import type { TenantId } from '../spec/identifiers.ts';

/** The rows that a batch of changes depends on, as its transaction sees them. */
export interface PresentTenants {
  readonly tenant: (id: TenantId) => Pick<StoredTenant, 'version' | 'deleted_at'> | undefined;
  /** Returns the tenant that has a name. An issuer stands at position 0. */
  readonly holder: (name: string) => { readonly tenant: TenantId; readonly position: number } | undefined;
}

export const idOf = (change: TenantChange): TenantId =>
  change.kind === 'create' ? change.tenant.id : change.id;

/** Returns the names that a change gives its tenant. */
export const namesOf = (change: TenantChange): readonly string[] =>
  change.kind === 'create' ? [change.tenant.issuer, ...change.tenant.aliases] : change.content.aliases;

/** Returns the changes that cannot be made together with the others, in the order of the batch. */
export function tenantConflicts(
  changes: readonly TenantChange[],
  present: PresentTenants,
): readonly TenantConflict[] {
  const ids = new Set<TenantId>();
  const names = new Map<string, TenantId>();
  /** Their aliases become free, unless they get them again. */
  const replaced = new Set(changes.filter(({ kind }) => kind === 'replace').map(idOf));
  const isTaken = (name: string, id: TenantId): boolean => {
    const holder = present.holder(name);
    const isHeld =
      holder !== undefined && holder.tenant !== id && !(replaced.has(holder.tenant) && holder.position > 0);
    const given = names.get(name) ?? id;
    names.set(name, id);
    return isHeld || given !== id;
  };
  return changes.flatMap((change, index) => {
    const id = idOf(change);
    const isFirst = !ids.has(id);
    ids.add(id);
    const reason = conflictOf(change, isFirst, present);
    if (reason !== undefined) return [{ index, reason }];
    const taken = namesOf(change).filter((name) => isTaken(name, id));
    return taken.length === 0 ? [] : [{ index, reason: 'issuer_taken' as const }];
  });
}

function conflictOf(
  change: TenantChange,
  isFirst: boolean,
  { tenant }: PresentTenants,
): TenantConflict['reason'] | undefined {
  const found = tenant(idOf(change));
  if (change.kind === 'replace')
    return isFirst && found?.version === change.expectedVersion && found.deleted_at === null
      ? undefined
      : 'conflict';
  if (found === undefined && isFirst) return undefined;
  return (found?.deleted_at ?? null) === null ? 'id_taken' : 'id_deleted';
}

/** Returns the outcome of a creation that was a batch of its own. */
export function creationOutcome([conflict]: readonly TenantConflict[]):
  | 'created'
  | 'id_taken'
  | 'id_deleted'
  | 'issuer_taken' {
  if (conflict === undefined) return 'created';
  return conflict.reason === 'conflict' ? 'id_taken' : conflict.reason;
}

/** Returns the outcome of a replacement that was a batch of its own. */
export function replacementOutcome([conflict]: readonly TenantConflict[]):
  | 'replaced'
  | 'conflict'
  | 'issuer_taken' {
  if (conflict === undefined) return 'replaced';
  return conflict.reason === 'issuer_taken' ? 'issuer_taken' : 'conflict';
}
