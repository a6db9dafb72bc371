import type { Mistaken } from '../spec/problems.ts';
import type { AuditEvent } from './audit-log.ts';
import type { StoredTenant, TenantStore } from './tenant-store.ts';

/** Why a tenant cannot be stored. `taken`: another one has a name. */
export interface TenantMistakes {
  readonly kind: 'taken' | 'invalid';
  readonly mistakes: readonly Mistaken[];
}

/** The tenants beside the default one, with the rules for those who administer them. */
export interface TenantDirectory {
  readonly store: TenantStore;
  /** Returns the tenant as it will be stored, or every mistake in its names and settings. */
  checked(tenant: StoredTenant): Promise<StoredTenant | TenantMistakes>;
  /** Returns its own settings by path, with secrets masked. */
  shownSettings(tenant: Pick<StoredTenant, 'settings'>): Readonly<Record<string, unknown>>;
  /**
   * Returns its own settings after a merge patch of paths and values (RFC 7396). A masked secret that comes back leaves the
   * stored one as it is.
   */
  patchedSettings(
    tenant: Pick<StoredTenant, 'settings'>,
    patch: Readonly<Record<string, unknown>>,
  ): Readonly<Record<string, unknown>>;
  /**
   * Removes rows of a tenant whose deletion has begun, in few enough writes for a request. Returns whether none is left.
   * The rounds of a server remove the others.
   */
  removeSome(id: StoredTenant['id'], by: Pick<AuditEvent, 'actor' | 'request_id'>): Promise<boolean>;
}
