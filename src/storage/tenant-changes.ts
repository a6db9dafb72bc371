import type { StoredTenant, TenantChanges } from '../ports/tenant-store.ts';
import type { TenantId } from '../spec/identifiers.ts';

/** A tenant with the version of the list at which it changed last. */
export interface ListedTenant {
  readonly tenant: StoredTenant;
  readonly listed: number;
  readonly isGone: boolean;
}

/**
 * The name of a tenant that is deleted. Programs of an older version read its row too, and each row needs a name. No host has
 * it (RFC 2606 §2).
 */
export const nameOfDeleted = (id: TenantId): string => `https://deleted.invalid/${id}`;

/**
 * Returns the tenants if they account for every change between the two versions of the list. A tenant that changed twice,
 * or a program that does not know the column `listed`, leaves a gap. Then only the whole list tells.
 */
export function completeChanges(
  found: readonly ListedTenant[],
  after: number,
  until: number,
): TenantChanges | undefined {
  const seen = new Set(found.map(({ listed }) => listed).filter((listed) => listed <= until));
  if (seen.size !== until - after) return undefined;
  return {
    tenants: found.filter(({ isGone }) => !isGone).map(({ tenant }) => tenant),
    gone: found.filter(({ isGone }) => isGone).map(({ tenant }) => tenant.id),
  };
}
