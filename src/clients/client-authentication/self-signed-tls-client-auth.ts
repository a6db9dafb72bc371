import type { KeyObject } from 'node:crypto';
import { clientCertificateProblem } from '../../keys/certificate-path.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { JsonWebKey } from '../../spec/jwk.ts';
import type { RemoteJwkSets } from '../client-keys/remote-jwk-set.ts';
import { metadataOf } from '../registered-client.ts';
import { clientIdentifier } from './client-identifier.ts';
import type { AuthenticationMethod, Proof } from './method.ts';
import { certificateOf } from './presented-certificate.ts';

/**
 * RFC 8705 §2.2: a certificate that nobody need vouch for, since the client has registered its key. The key alone is
 * compared, and so a JWK serves with `x5c` and without: registration has seen to it that both say the same.
 */
export const selfSignedTlsClientAuth: AuthenticationMethod = {
  name: 'self_signed_tls_client_auth',
  place: clientIdentifier,
  async prove({ assertions, clock }, stored, _claimed, presented) {
    const certificate = presented === undefined ? undefined : certificateOf(presented);
    if (certificate === undefined) return refused('none that can be read');
    const problem = clientCertificateProblem(certificate, clock.now());
    if (problem !== undefined) return refused(problem);
    const detail = await keyProblem(assertions.jwkSets, stored, certificate.publicKey);
    return detail === undefined ? { proved: true, secret: undefined } : refused(detail);
  },
};

const refused = (detail: string): Proof => ({ proved: false, detail: `certificate: ${detail}` });

/** A published set is fetched once more where it lacks the key: its owner may just have added it. */
async function keyProblem(
  jwkSets: RemoteJwkSets,
  stored: StoredClient,
  key: KeyObject,
): Promise<string | undefined> {
  const { jwks, jwks_uri } = metadataOf(stored);
  const lookIn = (keys: readonly JsonWebKey[]): JsonWebKey | undefined => keys.find((jwk) => isKey(jwk, key));
  if (typeof jwks_uri === 'string') {
    const found = await jwkSets.find(jwks_uri, lookIn);
    return 'problem' in found ? found.problem : undefined;
  }
  const { keys } = (jwks ?? { keys: [] }) as { readonly keys: readonly JsonWebKey[] };
  return lookIn(keys) === undefined ? 'its key is not registered' : undefined;
}

const PUBLIC_MEMBERS = ['kty', 'crv', 'x', 'y', 'n', 'e'];

const KEY_TYPES: ReadonlySet<string> = new Set(['rsa', 'ec', 'ed25519']);

/** A JWK has one spelling here: the key policy takes canonical base64url only. */
function isKey(jwk: JsonWebKey, key: KeyObject): boolean {
  if (jwk['use'] === 'enc' || !KEY_TYPES.has(key.asymmetricKeyType ?? '')) return false;
  const certified: JsonWebKey = { ...key.export({ format: 'jwk' }) };
  return PUBLIC_MEMBERS.every((member) => certified[member] === jwk[member]);
}
