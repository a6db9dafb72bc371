import type { StoredClient } from '../ports/client-store.ts';
import type { RefusalNotes } from '../spec/errors.ts';
import type { JsonValue } from '../spec/json.ts';

/** Describes the trust chain that the registration of a client rests on. Times are in seconds since the Unix epoch. */
export interface FederationState {
  readonly trust_anchor: string;
  /** The entity identifiers of the chain: that of the client first, that of the trust anchor last. */
  readonly chain: readonly string[];
  /** The end of the chain. The registration may end before it. */
  readonly expires_at: number;
  /** The types of the trust marks in the configuration of the entity. */
  readonly trust_marks: readonly string[];
  /** Those of them that this server requires, and has verified. */
  readonly verified_trust_marks: readonly string[];
  /** The metadata that the entity sent with its explicit registration; superiors may change it. Absent for other clients. */
  readonly submitted?: Readonly<Record<string, JsonValue>>;
  /** The last attempt to resolve the entity again, if it failed. */
  readonly failure?: RenewalFailure;
}

export interface RenewalFailure {
  readonly at: number;
  /** A reason code of docs/federation.md, or an error code. */
  readonly reason: string;
  readonly words: string;
}

/** Returns the state of the trust in a client; undefined for a client without a federation, or from an older version. */
export function federationOf({ federation }: Pick<StoredClient, 'federation'>): FederationState | undefined {
  return federation === null ? undefined : (JSON.parse(federation) as FederationState);
}

/** Says whether a federation vouches for the client, so that it can be resolved again. */
export function isFederated({ renew_at }: Pick<StoredClient, 'renew_at'>): boolean {
  return renew_at !== null;
}

/**
 * Says whether the entity of a client may have rolled its keys since the server looked: a JWT names a key that the client does
 * not have.
 */
export function mayHaveRolledKeys(
  client: Pick<StoredClient, 'renew_at'>,
  { reason }: Pick<RefusalNotes, 'reason'>,
): boolean {
  return isFederated(client) && reason === 'jwt-unknown-key';
}

/** The entity identifier of a client of a federation: it registered explicitly, or its identifier is its `client_id`. */
export function entityOf({ entity_id, client_id }: Pick<StoredClient, 'entity_id' | 'client_id'>): string {
  return entity_id ?? client_id;
}
