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
  /** The declarer of the tenant in files; null for a tenant that no file declares. */
  readonly owner: string | null;
  /** Seconds since the Unix epoch. */
  readonly created_at: number;
  readonly disabled_at: number | null;
  /** When its deletion began; null for a tenant that stays. One that is being deleted is disabled too. */
  readonly deleted_at: number | null;
}

/** A tenant whose deletion has begun. Its id remains, and no other tenant gets it. */
export interface DeletedTenant {
  readonly id: TenantId;
  readonly deleted_at: number;
  /** When no row of it was left; null while rows are being removed. */
  readonly cleared_at: number | null;
}

/** A tenant as an operator finds it, also one that is deleted: that has no names of its own and no settings. */
export interface TenantRecord extends StoredTenant {
  /** When no row of it was left; null for every other tenant. */
  readonly cleared_at: number | null;
}

export type TenantState = 'active' | 'disabled' | 'deleting' | 'deleted';

export interface TenantQuery {
  /** The id before the first of the page; undefined for the first page. */
  readonly after: string | undefined;
  readonly limit: number;
  /** A part of the id, the issuer or an alias; letters A to Z match in both cases. Undefined: any. */
  readonly search: string | undefined;
  /** Undefined: all but deleted tenants. */
  readonly state: TenantState | undefined;
}

/** The tenants that changed, and those that are gone. */
export interface TenantChanges {
  readonly tenants: readonly StoredTenant[];
  readonly gone: readonly TenantId[];
}

/** Rows of one table. */
export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

/** The parts of a tenant that an operator may change. Others rely on its id and issuer, so both stay. */
export type TenantContent = Pick<StoredTenant, 'aliases' | 'settings' | 'owner' | 'disabled_at'>;

/** A creation or a replacement that happens together with others. */
export type TenantChange =
  | { readonly kind: 'create'; readonly tenant: StoredTenant; readonly event: AuditEvent }
  | {
      readonly kind: 'replace';
      readonly id: TenantId;
      readonly expectedVersion: number;
      readonly content: TenantContent;
      readonly event: AuditEvent;
    };

/** A change that keeps its batch from being made, by its place in it, with the outcome that it would have alone. */
export interface TenantConflict {
  readonly index: number;
  readonly reason: 'id_taken' | 'id_deleted' | 'issuer_taken' | 'conflict';
}

/** Each change is stored together with its event, in the tenant's own audit. */
export interface TenantStore {
  /** Returns a number that grows with every change of any tenant by any process. Cheap enough to call before each response. */
  version(): Awaitable<number>;
  /** Returns all tenants, ordered by id; also those that are being deleted, but none that is deleted. */
  all(): Promise<readonly StoredTenant[]>;
  /** Returns a tenant, also a deleted one. */
  find(id: TenantId): Promise<TenantRecord | undefined>;
  /** Returns a page of the tenants that match, ordered by id. */
  page(query: TenantQuery): Promise<readonly TenantRecord[]>;
  /**
   * Returns the tenants that changed after one version of the list and until another, ordered by id; also those that changed
   * later. Returns undefined if that is not known for each change between them.
   */
  changedSince(after: number, until: number): Promise<TenantChanges | undefined>;
  /**
   * Returns the ids of the tenants that have logout notifications to deliver, due or not. The default tenant may be among
   * them. Those that an older program noted may be missing.
   */
  withLogouts(): Promise<readonly TenantId[]>;
  /**
   * Creates a tenant. A name belongs to one tenant, as issuer or alias. Among concurrent calls with one id or name, one
   * succeeds. The id of a deleted tenant is refused: requests and backups of that tenant may still name it.
   */
  create(
    tenant: StoredTenant,
    event: AuditEvent,
  ): Promise<'created' | 'id_taken' | 'id_deleted' | 'issuer_taken'>;
  /** Returns the ids of the tenants that have webhooks. The default tenant may be among them. */
  withWebhooks(): Promise<readonly TenantId[]>;
  /** Returns the ids of the tenants that have streams of security events. The default tenant may be among them. */
  withEventStreams(): Promise<readonly TenantId[]>;
  /** Returns the tenants that have requests without a browser whose clients wait for a notification, in their order. */
  withBackchannel(): Promise<readonly TenantId[]>;
  /**
   * Replaces the content of a tenant and raises its version, if the version is `expectedVersion`. Among concurrent calls
   * with one version, one succeeds. The others get `conflict`, as for an unknown tenant, or one that is being deleted.
   */
  replace(
    id: TenantId,
    expectedVersion: number,
    content: TenantContent,
    event: AuditEvent,
  ): Promise<'replaced' | 'conflict' | 'issuer_taken'>;
  /**
   * Makes several changes at one time: all of them, or none. Returns the changes that cannot be made; empty if all were made. A
   * name may go from one tenant of the batch to another.
   */
  changeTogether(changes: readonly TenantChange[]): Promise<readonly TenantConflict[]>;
  /** Returns the tenants whose deletion has begun, ended or not, ordered by id. */
  deleted(): Promise<readonly DeletedTenant[]>;
  /** Counts the rows of a tenant in each table that has some, up to `max` in each. The time is bounded by `max`. */
  contents(id: TenantId, max: number): Promise<readonly TableRows[]>;
  /**
   * Closes a tenant for good, if its version is `expectedVersion`. Its names stay taken until `endDeletion`. Records the event
   * in the audit of the default tenant, because the audit of this one goes.
   */
  beginDeletion(
    id: TenantId,
    expectedVersion: number,
    at: number,
    event: AuditEvent,
  ): Promise<'begun' | 'conflict'>;
  /**
   * Deletes at most `limit` rows of the first table that has some, beginning with the table `from`. Returns undefined if
   * there are none, and if the deletion of the tenant has not begun. Concurrent calls share the work. A request that was
   * under way when the tenant closed may still write a row after that.
   */
  clear(id: TenantId, limit: number, from?: string): Promise<TableRows | undefined>;
  /** Frees the names of a tenant whose rows are gone, and keeps its id. Among concurrent calls, one returns true. */
  endDeletion(id: TenantId, at: number, event: AuditEvent): Promise<boolean>;
}
