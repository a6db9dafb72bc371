import { digestOf } from '../../keys/digest.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { metadataOf } from '../registered-client.ts';

/** The way of registration of a client whose metadata is a document (`registered_via`), and its name in the audit. */
export const REGISTERED_BY_DOCUMENT = 'document';

/** Describes the document of a client. Times are in seconds since the Unix epoch. */
export interface DocumentState {
  /** The last time at which its server confirmed it. */
  readonly fetched_at: number;
  /** Until then it is used without asking again. */
  readonly fresh_until: number;
  /** The last change of the members of `identityOf`; null: never. An older consent was given to another application. */
  readonly changed_at: number | null;
  readonly etag?: string;
}

/** Returns the state of the document that a client is registered by; undefined for every other client. */
export function documentOf({ document }: Pick<StoredClient, 'document'>): DocumentState | undefined {
  return document === null ? undefined : (JSON.parse(document) as DocumentState);
}

/** Members by which an end-user or this server recognises the client. */
const IDENTITY = ['redirect_uris', 'token_endpoint_auth_method', 'jwks', 'jwks_uri', 'client_name'] as const;

/** Returns the members that two versions of a document disagree in, in alphabetical order. */
export function changedMembers(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): readonly string[] {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].filter((name) => JSON.stringify(one[name]) !== JSON.stringify(other[name])).sort();
}

/** Says whether a change concerns what an end-user consented to (§8.3). */
export const changesIdentity = (members: readonly string[]): boolean =>
  IDENTITY.some((name) => members.includes(name));

/**
 * Returns a digest of how a client authenticates: its method and its keys, not what a `jwks_uri` returns. A request that began
 * under other keys does not go on (§8.3.1). Undefined for a client without a document: only its registrant changes its keys.
 */
export function clientKeysOf(client: StoredClient): Digest | undefined {
  if (client.document === null) return undefined;
  const { token_endpoint_auth_method, jwks = null, jwks_uri = null } = metadataOf(client);
  return digestOf(JSON.stringify([token_endpoint_auth_method, jwks, jwks_uri]));
}

/** Says whether a consent was given before the client became another one. */
export function consentIsOutdated(
  client: StoredClient,
  { updated_at }: { readonly updated_at: number },
): boolean {
  const changed_at = documentOf(client)?.changed_at ?? null;
  return changed_at !== null && updated_at < changed_at;
}
