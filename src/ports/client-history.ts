import type { ClientId } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';
import type { ClientVersion, StoredClient, StoredSecret } from './client-store.ts';

/** The change that ended a version. */
export interface VersionEnd {
  /** Seconds since the Unix epoch. */
  readonly ended_at: number;
  readonly action: AuditEvent['action'];
  readonly actor: string;
  readonly request_id: string;
  /** The words of the operator, or null. */
  readonly reason: string | null;
}

/**
 * A former version of a client, or a deleted client in its grace period. Its secrets are sealed for its instance, as those of a
 * client. The registration token is not kept, only its digest.
 */
export interface FormerVersion
  extends VersionEnd,
    ClientVersion,
    Pick<
      StoredClient,
      | 'issued_at'
      | 'registered_via'
      | 'registration_token_digest'
      | 'secrets'
      | 'privileges'
      | 'metadata'
      | 'data'
      | 'shared_digest'
      | 'entity_id'
      | 'expires_at'
      | 'document'
      | 'federation'
      | 'owner'
    > {
  /** When the client was deleted, if this is its last version; otherwise null. Seconds since the Unix epoch. */
  readonly deleted_at: number | null;
}

/** A deleted client, as a list names it. */
export type DeletedClientKey = Pick<ClientVersion, 'client_id'> & { readonly deleted_at: number };

export type RestoreOutcome =
  | 'restored'
  /** The deleted client is no longer kept: it was restored, purged or swept. */
  | 'absent'
  | 'client_id_taken'
  /** A client with this `shared_digest` exists. */
  | 'identical_exists'
  /** A client with this `entity_id` exists. */
  | 'entity_exists';

/** Says which versions go. Times are in seconds since the Unix epoch. */
export interface HistorySweep {
  /** Versions that ended before this time go. */
  readonly versionsBefore: number;
  /** Clients that were deleted before this time go, with their versions. */
  readonly deletedBefore: number;
  /** The maximum number of deleted clients; the longest deleted go first. */
  readonly deletedMax: number;
}

/** Former versions of clients. `ClientStore.replace` and `ClientStore.delete` add them, in the transaction of the change. */
export interface ClientHistory {
  /** Returns at most `limit` former versions of a registration, newest first, before the version `before` if it is given. */
  versions(
    client: Omit<ClientVersion, 'version'>,
    before: number | undefined,
    limit: number,
  ): Promise<readonly FormerVersion[]>;
  version(key: ClientVersion): Promise<FormerVersion | undefined>;
  /** Returns the deleted client of an id, in its last version. */
  deleted(client_id: ClientId): Promise<FormerVersion | undefined>;
  /** Returns at most `limit` deleted clients after `after`, the latest deletion first. */
  deletedPage(after: DeletedClientKey | undefined, limit: number): Promise<readonly FormerVersion[]>;
  /**
   * Stores `client`, which continues a deleted registration as another instance, with its event. Its former versions go over to
   * the new instance, without their secrets, which are sealed for the old one; the restoration is what ended the last of them.
   * In a race with a registration of the same id, `shared_digest` or `entity_id`, or with another restoration, exactly one
   * succeeds; nothing is stored or recorded for the others.
   */
  restore(client: StoredClient, deleted: ClientVersion, event: AuditEvent): Promise<RestoreOutcome>;
  /** Deletes every version of an id, and the deleted client, with its event. Returns the number of rows; for 0 nothing is recorded. */
  purge(client_id: ClientId, event: AuditEvent): Promise<number>;
  /** Returns at most `limit` versions with secrets, after `after`, in the order of their keys. */
  sealedPage(after: ClientVersion | undefined, limit: number): Promise<readonly FormerVersion[]>;
  /** Replaces the ciphertexts of a version, if it is still kept under this key. */
  reseal(key: ClientVersion, secrets: readonly StoredSecret[]): Promise<void>;
  /** Deletes at most about `limit` versions, those of deleted clients with them, and returns their number; less than `limit` if none is left. */
  sweep(which: HistorySweep, limit: number): Promise<number>;
}
