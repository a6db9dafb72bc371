import type { Awaitable } from '../spec/awaitable.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** An issuer of its own in the same process. The default tenant is the configuration's, and has no record. */
export interface StoredTenant {
  readonly id: TenantId;
  /** 1 when it is created; grows with every change. */
  readonly version: number;
  readonly issuer: string;
  /** Further issuer names of it, in the order in which they were given. */
  readonly aliases: readonly string[];
  /** JSON object: the settings that are its own, by path. */
  readonly settings: string;
  /** Seconds since the Unix epoch. */
  readonly created_at: number;
  readonly disabled_at: number | null;
}

/** What an operator may change of a tenant. Its id and issuer are in the hands of others, and stay. */
export type TenantContent = Pick<StoredTenant, 'aliases' | 'settings' | 'disabled_at'>;

/** Each change is stored together with its event, which goes to the tenant's own audit. */
export interface TenantStore {
  /** Grows with every change of any tenant, whichever process made it. Cheap enough to be asked before each answer. */
  version(): Awaitable<number>;
  /** Ordered by id. */
  all(): Awaitable<readonly StoredTenant[]>;
  /** No name may be issuer or alias of two tenants. Of parallel calls with one id or one name, one creates. */
  create(tenant: StoredTenant, event: AuditEvent): Promise<'created' | 'id_taken' | 'issuer_taken'>;
  /**
   * Replaces the content of the tenant while its version is `expectedVersion`, and raises that. Of parallel calls with one
   * version, one replaces; the others are answered `conflict`, as for a tenant that is not there.
   */
  replace(
    id: TenantId,
    expectedVersion: number,
    content: TenantContent,
    event: AuditEvent,
  ): Promise<'replaced' | 'conflict' | 'issuer_taken'>;
}
