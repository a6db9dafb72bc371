import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance, Digest, Sealed } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

export interface StoredSecret {
  readonly digest: Digest;
  readonly sealed: Sealed;
  readonly created_at: number;
  /** Seconds since the Unix epoch; 0 = never. */
  readonly expires_at: number;
}

/** A stored registration. Storage neither reads nor changes the JSON texts in it. */
export interface StoredClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** Grows by one with every change. Conditional writes compare it. */
  readonly version: number;
  readonly issued_at: number;
  /** JSON text of the provisioned client metadata, without `data`. */
  readonly metadata: string;
  /** The JSON text of `data`, as the registrant sent it. */
  readonly data: string | null;
  /** Newest first; empty for a client without a secret. */
  readonly secrets: readonly StoredSecret[];
  readonly registration_token_digest: Digest;
  readonly registration_token_sealed: Sealed;
  /** The registrant's privileges as JSON text. They bind later updates. */
  readonly privileges: string;
  /**
   * The way of registration: `open`, `master:LABEL`, `initial:LABEL`, `statement:ISSUER`, `federation:TRUST ANCHOR`, `document`,
   * `cli`, or the actor of the administration API, such as `admin:client:ID`.
   */
  readonly registered_via: string;
  /**
   * Digest of the metadata of a public client that identical open registrations share; null for every other client.
   * Unique among the live clients of a tenant.
   */
  readonly shared_digest: Digest | null;
  /**
   * The identifier of the entity that registered it explicitly (OpenID Federation 1.0 §12.2); null for every other client.
   * Unique among the live clients of a tenant.
   */
  readonly entity_id: string | null;
  /** End of the registration in seconds since the Unix epoch, whether or not the record is still stored; null = never. */
  readonly expires_at: number | null;
  /**
   * JSON text about the Client ID Metadata Document that the registration comes from: when it was fetched and how long it is
   * fresh. Null for every other client.
   */
  readonly document: string | null;
  /**
   * JSON text about the trust chain that the registration rests on (OpenID Federation 1.0 §12). Null for every other client,
   * and for a client that was registered before this member existed.
   */
  readonly federation: string | null;
  /** When the trust in the entity of the client was last resolved; null for a client without a federation. */
  readonly resolved_at: number | null;
  /**
   * From then on a client of a federation is due for a renewal, before its registration ends. Null for a client that nothing
   * renews.
   */
  readonly renew_at: number | null;
  /**
   * The owner of the files that declare the client (`chancery apply`); null for a client that no file declares. Only files give and
   * take it: neither a registration nor an update has it as a member.
   */
  readonly owner: string | null;
}

/** Which clients of a federation are due for a renewal, and how they are claimed. Times are in seconds since the Unix epoch. */
export interface RenewalClaim {
  readonly now: number;
  /** The claimed clients are due again at this time, unless they are renewed before. */
  readonly until: number;
  /** Only clients that are due since this time or later are visited: 0 at first, then the `next` of the claim before. */
  readonly from: number;
  /** Seconds by which the last use of a client may be later than the recorded one. */
  readonly useMargin: number;
  readonly limit: number;
}

/** The clients of one claim. */
export interface ClaimedRenewals {
  readonly clients: readonly StoredClient[];
  /** Where the next claim goes on; undefined if no further client is due. */
  readonly next: number | undefined;
}

/** Says which registrations have ended for good. */
export interface ClientEndTimes {
  readonly now: number;
  /** A client that can be renewed ends for good if its registration expired before this time, and it holds no grant. */
  readonly renewableBefore: number;
}

/** The last use of a client with a secret. Uses are recorded coarsely, so that not every request costs a write. */
export interface ClientUse {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** Null for a use without a secret. */
  readonly secret_digest: Digest | null;
  readonly last_used_at: number;
}

export type CreateOutcome =
  | 'created'
  | 'client_id_taken'
  | 'client_id_deleted'
  | 'initial_access_token_used'
  /** The maximum number of clients registered `open` exists. */
  | 'open_clients_exhausted'
  /** A client with this `shared_digest` exists. */
  | 'identical_exists';
export type ChangeOutcome = 'done' | 'changed_meanwhile' | 'absent';

/** A client as a caller has read it. */
export type ClientVersion = Pick<StoredClient, 'client_id' | 'instance' | 'version'>;

/** One change of a batch, with its event. */
export type ClientChange =
  /** Stores a client that no one shares, also under the id of a deleted one, or of one that an earlier change of the batch deletes. */
  | { readonly kind: 'create'; readonly client: StoredClient; readonly event: AuditEvent }
  /** `client` has the version after `expectedVersion`. */
  | {
      readonly kind: 'replace';
      readonly client: StoredClient;
      readonly expectedVersion: number;
      readonly event: AuditEvent;
      /** As of `replace`. */
      readonly versionsMax: number;
    }
  | {
      readonly kind: 'delete';
      readonly client: ClientVersion;
      readonly event: AuditEvent;
      /** As of `delete`. */
      readonly isKept: boolean;
    };

/** Why a change of a batch cannot be done. */
export interface ClientConflict {
  /** The place of the change in its batch. */
  readonly index: number;
  readonly reason: 'taken' | 'changed_meanwhile' | 'absent';
}

export interface CreateConditions {
  /** Used up in the same transaction. The loser of a race gets `initial_access_token_used`. */
  readonly initialAccessToken?: AccessTokenKey;
  /** Whether the id of a deleted client may be registered again. */
  readonly reuseDeletedId: boolean;
  /**
   * The maximum number of clients whose `registered_via` is `open`, this one included. The count happens in the same
   * transaction. Clients that are registered in another way ignore it.
   */
  readonly openClientsMax?: number;
  readonly now: number;
  /** Recorded in the same transaction. */
  readonly event: AuditEvent;
  /** Recorded, with the identifier of the deleted client, if the new client replaces one with the same `entity_id`. */
  readonly endEvent?: AuditEvent;
}

export interface ClientStore {
  find(client_id: ClientId): Awaitable<StoredClient | undefined>;
  /** Returns whether a live registration has this registration token. */
  hasRegistrationToken(digest: Digest): Promise<boolean>;
  /**
   * Stores a client. In a race for one id, one initial access token, one `shared_digest` or the last place under
   * `openClientsMax`, exactly one caller gets `created`; nothing is stored or recorded for the others. A client with an
   * `entity_id` replaces the one that has it, like `delete`: concurrent callers all succeed in turn, and the last stays.
   */
  create(client: StoredClient, conditions: CreateConditions): Promise<CreateOutcome>;
  /**
   * Stores `client`, whose version is already raised, if the stored version is still `expectedVersion` and the instance
   * is the same. Records the event in the same transaction, and tells the streams of the client of changed secrets. Maintenance
   * without a visible effect has no event.
   * @param versionsMax the most former versions that are kept of the client: with an event, the stored version joins them in the
   * same transaction, and the oldest go. Absent or 0: no version is added
   */
  replace(
    client: StoredClient,
    expectedVersion: number,
    event?: AuditEvent,
    versionsMax?: number,
  ): Promise<ChangeOutcome>;
  /**
   * Deletes this instance with all its tokens, if the stored version is still that of `client`. In the same transaction, its
   * former versions go with it, unless `isKept`: then its last version joins them, and `ClientHistory.restore` can bring the
   * client back. Either way, versions of earlier clients with its identifier go.
   */
  delete(client: ClientVersion, event: AuditEvent, isKept?: boolean): Promise<ChangeOutcome>;
  /**
   * Does all changes with their events, or none of them if another writer was faster with one of their clients: then returns every
   * conflict. A batch names a client once, or deletes it and creates it again. Other writes wait for the batch, so keep it small.
   */
  changeTogether(changes: readonly ClientChange[]): Promise<readonly ClientConflict[]>;
  /** Returns at most `limit` clients of one owner with an id greater than `after`, in code-unit order of the id. */
  ofOwner(owner: string, after: ClientId | undefined, limit: number): Promise<readonly StoredClient[]>;
  /** Returns at most `limit` clients with an id greater than `after`, in code-unit order of the id. */
  page(after: ClientId | undefined, limit: number): Promise<readonly StoredClient[]>;
  findShared(digest: Digest): Promise<StoredClient | undefined>;
  /** Returns the client that this entity registered explicitly. */
  findOfEntity(entity_id: string): Promise<StoredClient | undefined>;
  /** Stores the latest time for each client, instance and secret. Drops uses of deleted clients. */
  recordUses(uses: readonly ClientUse[]): Promise<void>;
  uses(client: Pick<StoredClient, 'client_id' | 'instance'>): Promise<readonly ClientUse[]>;
  /**
   * Returns at most `limit` clients registered `open` or `document` that were issued and last used before `before`. The order is
   * the engine's own.
   * @param after the last client of the page before
   */
  idle(
    before: number,
    after: Pick<StoredClient, 'client_id' | 'instance'> | undefined,
    limit: number,
  ): Promise<readonly StoredClient[]>;
  /**
   * Returns at most `limit` clients whose registration has ended for good, earliest expiry first: `expires_at` is not after
   * `now`, and nothing renews them any more.
   */
  expired(times: ClientEndTimes, limit: number): Promise<readonly StoredClient[]>;
  /**
   * Claims clients that are due for a renewal, have not expired and were used since they were last resolved, the longest due
   * first. Moves their `renew_at`, and nothing else. Concurrent callers, in any process, get different clients. A call visits about
   * a thousand clients, however few of them are in use: other writes wait for it.
   */
  claimRenewals(claim: RenewalClaim): Promise<ClaimedRenewals>;
  /** Returns the earliest end after `now` of the registration of a federated client; undefined without one. */
  nextFederatedEnd(now: number): Promise<number | undefined>;
  /** Returns the number of clients registered `open`. */
  countOpen(): Promise<number>;
}
