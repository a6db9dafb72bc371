import type { StoredTenant } from '../ports/tenant-store.ts';

/** A tenant with the version of the list at which it changed last. */
export type ListedTenant = readonly [tenant: StoredTenant, listed: number];

/**
 * Returns the tenants if they account for every change between the two versions of the list. A tenant that changed twice,
 * or a program that does not know the column `listed`, leaves a gap. Then only the whole list tells.
 */
export function completeChanges(
  found: readonly ListedTenant[],
  after: number,
  until: number,
): readonly StoredTenant[] | undefined {
  const seen = new Set(found.map(([, listed]) => listed).filter((listed) => listed <= until));
  return seen.size === until - after ? found.map(([tenant]) => tenant) : undefined;
}
