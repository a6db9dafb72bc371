import type { ServerKeys } from '../keys/server-keys.ts';
import type { JweDecrypter, JweRefusal } from '../ports/jwe.ts';
import type { JwtRefusal, JwtVerifier, VerifiedClaims } from '../ports/jwt-verifier.ts';
import type { JsonValue } from '../spec/json.ts';
import {
  CONTENT_ENCRYPTION_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
} from '../spec/server-capabilities.ts';
import { ID_TOKEN_TYPE } from './id-token.ts';

export interface IdTokenHintNeeds {
  readonly issuer: string;
  readonly keys: Pick<ServerKeys, 'verificationKeys' | 'decryptionKeys'>;
  readonly verifier: JwtVerifier;
  readonly decrypter: JweDecrypter;
}

/** A valid ID token of this server, expired or not. */
export interface HeldIdToken {
  readonly holds: true;
  readonly sub: string;
  /** Never empty. */
  readonly audience: readonly string[];
  /** The client that it was issued to: the only audience, or `azp`. */
  readonly client_id: string;
  readonly sid: string | undefined;
  readonly claims: VerifiedClaims;
}

/** `reason` is for the log. */
export type IdTokenHint =
  | HeldIdToken
  | { readonly holds: false; readonly reason: JwtRefusal | `JWE: ${JweRefusal}` };

/**
 * Verifies an `id_token_hint` (decision 32; OpenID Connect Core 1.0 §3.1.2.1, OpenID Connect RP-Initiated
 * Logout 1.0 §2). It may have expired and may be signed by a retired key. An encrypted hint must contain a
 * signed JWT, because anyone can encrypt to a public key.
 */
export async function readIdTokenHint(needs: IdTokenHintNeeds, hint: string): Promise<IdTokenHint> {
  const signed = await decrypted(needs, hint);
  if ('reason' in signed) return { holds: false, reason: signed.reason };
  const verification = await needs.verifier.verify(signed.jwt, await needs.keys.verificationKeys(), {
    algorithms: SIGNING_ALGORITHMS,
    // Only ID tokens of this server have this type.
    types: [ID_TOKEN_TYPE.toLowerCase()],
    requiredClaims: ['iss', 'sub', 'aud', 'exp', 'iat'],
    issuer: needs.issuer,
    audience: { kind: 'any' },
    lifetimeMax: undefined,
    ageMax: undefined,
    expiredToo: true,
  });
  return verification.verified ? held(verification.claims) : { holds: false, reason: verification.reason };
}

/** RFC 7516 §9: a JWE has five segments. */
async function decrypted(
  { keys, decrypter }: IdTokenHintNeeds,
  hint: string,
): Promise<{ readonly jwt: string } | { readonly reason: `JWE: ${JweRefusal}` }> {
  if (hint.split('.', 6).length !== 5) return { jwt: hint };
  const decryption = await decrypter.decrypt(hint, await keys.decryptionKeys(), {
    algorithms: KEY_MANAGEMENT_ALGORITHMS,
    encryptions: CONTENT_ENCRYPTION_ALGORITHMS,
  });
  return decryption.decrypted ? { jwt: decryption.plaintext } : { reason: `JWE: ${decryption.reason}` };
}

function held(claims: VerifiedClaims): IdTokenHint {
  const { sub, azp, sid } = claims;
  const audience = audienceOf(claims['aud']);
  const client_id = audience.length === 1 ? audience[0] : azp;
  if (typeof sub !== 'string' || typeof client_id !== 'string' || !audience.includes(client_id)) {
    return { holds: false, reason: 'claims' };
  }
  return { holds: true, sub, audience, client_id, sid: typeof sid === 'string' ? sid : undefined, claims };
}

function audienceOf(aud: JsonValue | undefined): readonly string[] {
  const values = Array.isArray(aud) ? aud : [aud];
  return values.every((value) => typeof value === 'string') ? values : [];
}
