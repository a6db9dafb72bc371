import type { Awaitable } from '../spec/awaitable.ts';
import type { AccessTokenKey, ClientId, ClientInstance, Digest, Sealed } from '../spec/identifiers.ts';
import type { AuditEvent } from './audit-log.ts';

export interface StoredSecret {
  readonly digest: Digest;
  readonly sealed: Sealed;
  readonly created_at: number;
  /** Seconds since the epoch; 0 = never. */
  readonly expires_at: number;
}

/** A registration as it is kept. The storage floor neither reads nor changes the JSON texts in it. */
export interface StoredClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** Grows by one with every change; the ticket of every conditional write. */
  readonly version: number;
  readonly issued_at: number;
  /** JSON text of the provisioned client metadata, without `data`. */
  readonly metadata: string;
  /** JSON text of `data` as it was sent. */
  readonly data: string | null;
  /** Newest first; empty for a client that has none. */
  readonly secrets: readonly StoredSecret[];
  readonly registration_token_digest: Digest;
  readonly registration_token_sealed: Sealed;
  /** JSON text of what the registrant was allowed; binds later updates. */
  readonly privileges: string;
  /** Who registered: `open`, `master:LABEL`, `initial:LABEL`, `statement:ISSUER`, `federation:TRUST ANCHOR` or `cli`. */
  readonly registered_via: string;
  /**
   * Digest of the metadata of a public client that identical open registrations share; null for every other client.
   * At most one live client of a tenant has a given one.
   */
  readonly shared_digest: Digest | null;
  /**
   * The entity identifier that registered it explicitly (OpenID Federation 1.0 §12.2); null for every other client. At most
   * one live client of a tenant has a given one.
   */
  readonly entity_id: string | null;
  /** Seconds since the Unix epoch: from then on the registration is not good any more, whether it is still kept or not; null = never. */
  readonly expires_at: number | null;
}

/** When a client was last seen, and with which secret; recorded coarsely, so that use does not cost a write each. */
export interface ClientUse {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  /** Null for a use that involved no secret. */
  readonly secret_digest: Digest | null;
  readonly last_used_at: number;
}

export type CreateOutcome =
  | 'created'
  | 'client_id_taken'
  | 'client_id_deleted'
  | 'initial_access_token_used'
  /** There are as many clients registered `open` as there may be. */
  | 'open_clients_exhausted'
  /** A client with this `shared_digest` is there. */
  | 'identical_exists';
export type ChangeOutcome = 'done' | 'changed_meanwhile' | 'absent';

export interface CreateConditions {
  /** Consumed in the same transaction; whoever loses the race gets `initial_access_token_used`. */
  readonly initialAccessToken?: AccessTokenKey;
  /** Whether an id that belonged to a deleted client may be used again. */
  readonly reuseDeletedId: boolean;
  /**
   * How many clients whose `registered_via` is `open` there may be after this one; counted in the same transaction.
   * Does not concern a client that is registered in another way.
   */
  readonly openClientsMax?: number;
  readonly now: number;
  /** Recorded in the same transaction. */
  readonly event: AuditEvent;
  /** Recorded, with the identifier of the client that ends, where the client takes the place of one with its `entity_id`. */
  readonly endEvent?: AuditEvent;
}

export interface ClientStore {
  find(client_id: ClientId): Awaitable<StoredClient | undefined>;
  /** Whether any live registration has this registration token. */
  hasRegistrationToken(digest: Digest): Awaitable<boolean>;
  /**
   * In races for one id, one initial access token, one `shared_digest` or the last place under `openClientsMax` exactly one
   * caller gets `created`; nothing is stored for the others, and no event is recorded. A client with an `entity_id` ends
   * the one that has it, as `delete` would: of any number at once all are created, one after the other, and the last stays.
   */
  create(client: StoredClient, conditions: CreateConditions): Promise<CreateOutcome>;
  /**
   * Stores `client` (its version already raised) if the stored version is still `expectedVersion` and the instance the
   * same; the event is recorded with it, or neither is. Without an event: maintenance that changes nothing a client sees.
   */
  replace(client: StoredClient, expectedVersion: number, event?: AuditEvent): Promise<ChangeOutcome>;
  /** Ends this instance, and with it every token of it, if its stored version is still that of `client`. */
  delete(
    client: Pick<StoredClient, 'client_id' | 'instance' | 'version'>,
    event: AuditEvent,
  ): Promise<ChangeOutcome>;
  /** At most `limit` clients with an id greater than `after`, in code-unit order of the id. */
  page(after: ClientId | undefined, limit: number): Awaitable<readonly StoredClient[]>;
  findShared(digest: Digest): Awaitable<StoredClient | undefined>;
  /** Keeps the latest time for each client, instance and secret. Uses of clients that are gone are dropped. */
  recordUses(uses: readonly ClientUse[]): Promise<void>;
  uses(client: Pick<StoredClient, 'client_id' | 'instance'>): Awaitable<readonly ClientUse[]>;
  /**
   * At most `limit` clients registered `open`, with an id greater than `after`, that were issued and last used before
   * `before`.
   */
  idle(before: number, after: ClientId | undefined, limit: number): Awaitable<readonly StoredClient[]>;
  /** At most `limit` clients whose `expires_at` is not after `now`, those that expired first first. */
  expired(now: number, limit: number): Awaitable<readonly StoredClient[]>;
  /** How many clients are registered `open`. */
  countOpen(): Awaitable<number>;
}
