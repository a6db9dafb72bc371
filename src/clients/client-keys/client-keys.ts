import type { StoredClient } from '../../ports/client-store.ts';
import type { JwtVerification } from '../../ports/jwt-verifier.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import { metadataOf } from '../registered-client.ts';
import type { RemoteJwkSets, RemoteVerification } from './remote-jwk-set.ts';

/** Verifies what a client has signed, with the keys that it registered or publishes (`jwks`, `jwks_uri`). */
export async function verifyWithClientKeys(
  jwkSets: RemoteJwkSets,
  client: StoredClient,
  verify: (keys: readonly JsonWebKey[]) => Promise<JwtVerification>,
): Promise<RemoteVerification> {
  const { jwks, jwks_uri } = metadataOf(client);
  if (typeof jwks_uri === 'string') return await jwkSets.verifyWith(jwks_uri, verify);
  // Checked when it was registered: public keys that pass the key policy.
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return await verify(keys);
}

/** For the log. */
export const refusalInWords = (refusal: Extract<RemoteVerification, { readonly verified: false }>): string =>
  `${refusal.reason}${'detail' in refusal ? ` (${refusal.detail})` : ''}`;
