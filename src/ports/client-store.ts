import type { AccessTokenKey, ClientId, ClientInstance, Digest, Sealed } from '../spec/identifiers.ts';
import type { Awaitable } from './storage.ts';

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
  /** Who registered: `open`, `master` or `initial:LABEL`. */
  readonly registered_via: string;
}

export type CreateOutcome = 'created' | 'client_id_taken' | 'client_id_deleted' | 'initial_access_token_used';
export type ChangeOutcome = 'done' | 'changed_meanwhile' | 'absent';

export interface CreateConditions {
  /** Consumed in the same transaction; whoever loses the race gets `initial_access_token_used`. */
  readonly initialAccessToken?: AccessTokenKey;
  /** Whether an id that belonged to a deleted client may be used again. */
  readonly reuseDeletedId: boolean;
  readonly now: number;
}

export interface ClientStore {
  find(client_id: ClientId): Awaitable<StoredClient | undefined>;
  /** Whether any live registration has this registration token. */
  hasRegistrationToken(digest: Digest): Awaitable<boolean>;
  /** In races for one id or one initial access token exactly one caller gets `created`; nothing is stored for the others. */
  create(client: StoredClient, conditions: CreateConditions): Promise<CreateOutcome>;
  /** Stores `client` (its version already raised) if the stored version is still `expectedVersion`. */
  replace(client: StoredClient, expectedVersion: number): Promise<ChangeOutcome>;
  /** Ends the client, and with it every token of this instance, if the stored version is still `expectedVersion`. */
  delete(client_id: ClientId, expectedVersion: number, now: number): Promise<ChangeOutcome>;
  /** At most `limit` clients with an id greater than `after`, in code-unit order of the id. */
  page(after: ClientId | undefined, limit: number): Awaitable<readonly StoredClient[]>;
}
