import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { digestOf } from './digest.ts';

/**
 * Returns the SHA-256 thumbprint of a public key in base64url (RFC 7638 §3): the digest of "the required members … ordered
 * lexicographically". Undefined for a key type without a public half.
 */
export function jwkThumbprint(jwk: JsonWebKey): string | undefined {
  const key = publicJwk(jwk);
  if (key === undefined) return undefined;
  const ordered = Object.entries(key).sort(([one], [other]) => (one < other ? -1 : 1));
  return digestOf(JSON.stringify(Object.fromEntries(ordered)));
}
