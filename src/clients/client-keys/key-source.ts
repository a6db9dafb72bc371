import type { ClientMetadata } from '../../spec/client-metadata.ts';
import type { JsonValue } from '../../spec/json.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { RemoteJwkSet, SetSigner } from './fetch-jwk-set.ts';

/**
 * The member of stored metadata that names the entity and its federation keys, which verify the set at `signed_jwks_uri`. The
 * server adds it from the trust chain. No response has it, and no registration may bring it.
 */
const SIGNER = 'chancery_signed_jwks_signer';

/** Returns the metadata of an entity with the keys that verify its signed key set. Adds nothing if it has none. */
export function withSetSigner(metadata: ClientMetadata, { entity_id, keys }: SetSigner): ClientMetadata {
  if (metadata['signed_jwks_uri'] === undefined) return metadata;
  return { ...metadata, [SIGNER]: { entity_id, keys: keys as unknown as JsonValue } };
}

/** Returns the metadata that responses show. */
export function withoutSetSigner(metadata: ClientMetadata): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== SIGNER));
}

/** The place of a client's keys: a set to fetch, the registered keys, or both, if those stand in for a set that cannot be used. */
export interface KeySource {
  readonly remote: RemoteJwkSet | undefined;
  readonly keys: readonly JsonWebKey[];
}

/**
 * Returns the one set of keys that counts (ADR 63). Several may be registered (OpenID Federation 1.0 §5.2.1.1). A signed one wins
 * over `jwks_uri`, because a federation key proves it. `signed_jwks_uri` wins over `jwks`, because the registered copy is as old as
 * the last look at the entity. The copy stands in while the signed set cannot be used.
 */
export function keySourceOf(metadata: ClientMetadata): KeySource {
  const { jwks, jwks_uri, signed_jwks_uri: url, [SIGNER]: signer } = metadata;
  // Registration admits only public keys that satisfy the key policy.
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  if (typeof url === 'string' && signer !== undefined)
    return { remote: { url, signer: signer as unknown as SetSigner }, keys };
  const remote = jwks === undefined && typeof jwks_uri === 'string' ? { url: jwks_uri } : undefined;
  return { remote, keys };
}
