import type { RemoteVerification } from '../../clients/client-keys/remote-jwk-set.ts';
import type { JweRefusal } from '../../ports/jwe.ts';
import type { JwtProfile } from '../../ports/jwt-verifier.ts';

type Refused = Extract<RemoteVerification, { readonly verified: false }>;

/**
 * Says what is wrong with a request object and what is allowed. The answer may go through a browser, so it repeats no text of
 * the object: everyone can send one.
 */
export function refusedObjectWords(
  { reason, ...refusal }: Refused,
  { algorithms, types, issuer, audience, lifetimeMax = 0, lengthMax = 0 }: JwtProfile,
): string {
  const found = 'found' in refusal ? (refusal.found ?? {}) : {};
  const [member = 'a claim'] = Object.keys(found);
  switch (reason) {
    case 'too-large':
      return lengthMax === 0 ? 'it is too long' : `it is longer than ${lengthMax} characters`;
    case 'malformed':
      return 'it is not a signed JWT in the compact form';
    case 'header':
      return 'its header has crit, b64 or zip, or a kid or typ that is no string';
    case 'algorithm':
      return `its alg must be one of: ${algorithms.join(' ')}`;
    case 'type':
      return `its typ must be one of: ${types.flatMap((type) => type ?? []).join(' ')}`;
    case 'unknown-key':
      return 'no key of the client has its kid and fits its alg';
    case 'key-set':
      return 'the key set of the client cannot be used';
    case 'signature':
      return 'its signature does not verify with the keys of the client';
    case 'claims':
      return found[member] === 'missing' ? `${member} is missing` : `${member} has the wrong type`;
    case 'issuer':
      return `iss must be ${issuer}, the client_id`;
    case 'audience':
      return audience.kind === 'any'
        ? 'aud is another server'
        : `aud must be ${audience.values.join(' or ')}${audience.kind === 'sole' ? ' and no other value' : ''}`;
    case 'expired':
      return 'exp has passed';
    case 'not-yet-valid':
      return `${member} is in the future`;
    case 'lifetime':
      return `exp is more than ${lifetimeMax} seconds in the future`;
    case 'age':
      return 'iat is too long ago';
  }
}

/** Says why a request object cannot be decrypted. RFC 7516 §11.5: the sender must not learn which step failed. */
export const DECRYPTION_WORDS: Readonly<Record<JweRefusal, string>> = {
  'too-large': 'the encrypted object is too long',
  malformed: 'it is not a JWE in the compact form',
  header: 'its JWE header has zip, crit, b64, p2c or p2s, or a member of the wrong type',
  algorithm: 'its JWE header has an alg or enc that this server does not accept from this client',
  'unknown-key': 'no encryption key of this server has the kid of its JWE header and fits its alg',
  decryption: 'it cannot be decrypted with the encryption keys of this server',
};
