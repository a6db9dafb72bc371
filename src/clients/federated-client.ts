import type { ClientStore, StoredClient } from '../ports/client-store.ts';
import type { RefusalNotes } from '../spec/errors.ts';
import type { ClientId } from '../spec/identifiers.ts';
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

/** The members of a registration that neither a federation nor a metadata document vouches for, and that has no end. */
export const NOT_FEDERATED = {
  entity_id: null,
  expires_at: null,
  document: null,
  federation: null,
  resolved_at: null,
  renew_at: null,
} as const;

/** Returns the state of the trust in a client; undefined for a client without a federation, or from an older version. */
export function federationOf({ federation }: Pick<StoredClient, 'federation'>): FederationState | undefined {
  return federation === null ? undefined : (JSON.parse(federation) as FederationState);
}

/** Says whether a federation states the metadata of the client, registered explicitly or automatically (OpenID Federation 1.0 §12). */
export function isFederated({ registered_via }: Pick<StoredClient, 'registered_via'>): boolean {
  return registered_via.startsWith(VIA);
}

const VIA = 'federation:';

/**
 * Says whether the client was registered automatically by its federation (OpenID Federation 1.0 §12.1). Its
 * identifier is that of an entity, which anyone may state, so each of its requests must be authenticated.
 */
export function isAutomatic(client: Pick<StoredClient, 'registered_via' | 'entity_id'>): boolean {
  return client.entity_id === null && isFederated(client);
}

/** Says whether the client can be resolved again. An older version has registered a federated client that cannot. */
export function isRenewable({ renew_at }: Pick<StoredClient, 'renew_at'>): boolean {
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
  return isRenewable(client) && reason === 'jwt-unknown-key';
}

/** The entity identifier of a client of a federation: it registered explicitly, or its identifier is its `client_id`. */
export function entityOf({ entity_id, client_id }: Pick<StoredClient, 'entity_id' | 'client_id'>): string {
  return entity_id ?? client_id;
}

/** Returns the clients of an entity that a store finds: one registered explicitly, one registered automatically. */
export async function federatedClientsOf(
  clients: Pick<ClientStore, 'find' | 'findOfEntity'>,
  entity_id: string,
): Promise<readonly StoredClient[]> {
  const found = [await clients.findOfEntity(entity_id), await clients.find(entity_id as ClientId)];
  return found.filter((client) => client !== undefined).filter(isFederated);
}

/** Tells operators what the registration of a client rests on. Times are in seconds since the Unix epoch. */
export interface ClientFederation {
  readonly entity_id: string;
  readonly registration: 'explicit' | 'automatic';
  readonly trust_anchor: string;
  /** From the entity to the trust anchor; empty for a client that an older version registered. */
  readonly trust_chain: readonly string[];
  /** The end of the registration. */
  readonly expires_at: number | null;
  /** The end of the trust chain; null if it is not known. */
  readonly trust_chain_expires_at: number | null;
  /** The last time that trust was resolved. */
  readonly resolved_at: number | null;
  /** The types of the trust marks that the entity publishes. */
  readonly trust_marks: readonly string[];
  /** Those of them that this server requires, and has verified. */
  readonly verified_trust_marks: readonly string[];
  /** The last attempt to renew the registration, if it failed. */
  readonly failure?: RenewalFailure;
}

/** Returns what the registration of a client rests on; undefined for a client without a federation. */
export function clientFederation(client: StoredClient): ClientFederation | undefined {
  if (!isFederated(client)) return undefined;
  const state = federationOf(client);
  return {
    entity_id: entityOf(client),
    registration: isAutomatic(client) ? 'automatic' : 'explicit',
    trust_anchor: state?.trust_anchor ?? client.registered_via.slice(VIA.length),
    trust_chain: state?.chain ?? [],
    expires_at: client.expires_at,
    trust_chain_expires_at: state?.expires_at ?? null,
    resolved_at: client.resolved_at,
    trust_marks: state?.trust_marks ?? [],
    verified_trust_marks: state?.verified_trust_marks ?? [],
    ...(state?.failure === undefined ? {} : { failure: state.failure }),
  };
}
