import type { Awaitable } from '../spec/awaitable.ts';
import type { TenantId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

/** A further issuer in the same process. The default tenant comes from the configuration and has no record. */
export interface StoredTenant {
  readonly id: TenantId;
  /** 1 when it is created; grows with every change. */
  readonly version: number;
  readonly issuer: string;
  /** Additional issuer identifiers, in the order of the operator. */
  readonly aliases: readonly string[];
  /** Its own settings by path, as a JSON object. */
  readonly settings: string;
  /** Seconds since the Unix epoch. */
  readonly created_at: number;
  readonly disabled_at: number | null;
}

/** The parts of a tenant that an operator may change. Others rely on its id and issuer, so both stay. */
export type TenantContent = Pick<StoredTenant, 'aliases' | 'settings' | 'disabled_at'>;

/** Each change is stored together with its event, in the tenant's own audit. */
export interface TenantStore {
  /** Returns a number that grows with every change of any tenant by any process. Cheap enough to call before each response. */
  version(): Awaitable<number>;
  /** Returns all tenants, ordered by id. */
  all(): Promise<readonly StoredTenant[]>;
  /**
   * Returns the tenants that changed after one version of the list and until another, ordered by id; also those that changed
   * later. Returns undefined if that is not known for each change between them.
   */
  changedSince(after: number, until: number): Promise<readonly StoredTenant[] | undefined>;
  /**
   * Returns the ids of the tenants that have logout notifications to deliver, due or not. The default tenant may be among
   * them. Those that an older program noted may be missing.
   */
  withLogouts(): Promise<readonly TenantId[]>;
  /** Creates a tenant. A name belongs to one tenant, as issuer or alias. Among concurrent calls with one id or name, one succeeds. */
  create(tenant: StoredTenant, event: AuditEvent): Promise<'created' | 'id_taken' | 'issuer_taken'>;
  /**
   * Replaces the content of a tenant and raises its version, if the version is `expectedVersion`. Among concurrent calls
   * with one version, one succeeds. The others get `conflict`, as for an unknown tenant.
   */
  replace(
    id: TenantId,
    expectedVersion: number,
    content: TenantContent,
    event: AuditEvent,
  ): Promise<'replaced' | 'conflict' | 'issuer_taken'>;
}
