import { digestOf } from '../keys/digest.ts';
import type { ServerKeys } from '../keys/server-keys.ts';
import { JWT_LENGTH_MAX, type JwtVerifier } from '../ports/jwt-verifier.ts';
import { type Awaitable, whenKnown } from '../spec/awaitable.ts';
import type { BoundedMap } from '../spec/bounded-map.ts';
import { OAuthError } from '../spec/errors.ts';
import { type AccessTokenKey, type Digest, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';
import type { SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { SIGNING_ALGORITHMS } from '../spec/server-capabilities.ts';
import { LOCATOR_LENGTH } from './token-identifier.ts';

/** RFC 9068 §2.1: "the "typ" value used SHOULD be "at+jwt"". No other JWT of this server has this type. */
const TYPE = 'at+jwt';

const JTI = new RegExp(`^[0-9A-Za-z]{${LOCATOR_LENGTH + IDENTIFIER_LENGTHS.instance}}$`);

export interface SelfContainedTokenNeeds {
  readonly keys: Pick<ServerKeys, 'sign' | 'verificationKeys'>;
  readonly verifier: JwtVerifier;
  readonly algorithm: SignatureAlgorithm;
  /** The default `aud`, never empty. RFC 9068 §2.2 requires the claim. */
  readonly defaultAudience: readonly string[];
  /** Cache of JWTs whose signature was verified, by their digest. */
  readonly genuine: BoundedMap<Digest, GenuineJwt>;
}

/** The key of the record of a verified JWT, and the key id of its signature. That key must still be valid. */
export interface GenuineJwt {
  readonly key: AccessTokenKey;
  readonly kid: string;
}

/** The claims of RFC 9068 §2.2 and further ones. */
export interface SelfContainedClaims {
  readonly iss: string;
  readonly sub: string;
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly client_id: string;
  readonly scope: string;
  readonly [claim: string]: unknown;
}

/**
 * Signs a JWT access token (RFC 9068).
 * @returns the token and the key of its record: the locator at the start of `jti`, and the digest of the
 * token
 * @throws OAuthError invalid_request if the token is longer than `JWT_LENGTH_MAX`
 */
export async function signAccessToken(
  { keys, algorithm }: SelfContainedTokenNeeds,
  claims: SelfContainedClaims,
): Promise<{ readonly access_token: string; readonly key: AccessTokenKey }> {
  const [sole, ...more] = claims.aud;
  const aud = more.length === 0 ? sole : claims.aud;
  const access_token = await keys.sign({ ...claims, aud }, { alg: algorithm, typ: TYPE });
  if (access_token.length > JWT_LENGTH_MAX) {
    throw new OAuthError('invalid_request', {
      error_description: `the self-contained access token would be longer than ${JWT_LENGTH_MAX} characters; ask for less scope, audience or data`,
    });
  }
  return { access_token, key: keyOf(claims.jti, digestOf(access_token)) };
}

/** Says whether a text may be a JWT: it begins with `{"` in base64url. */
export function mayBeJwt(presented: string): boolean {
  return presented.startsWith('eyJ') && presented.length <= JWT_LENGTH_MAX;
}

/**
 * Verifies a JWT access token of this server and returns the key of its record.
 * @returns undefined for every other text; nothing is looked up
 */
export function keyOfSelfContained(
  needs: SelfContainedTokenNeeds,
  issuer: string,
  presented: string,
): Awaitable<AccessTokenKey | undefined> {
  const digest = digestOf(presented);
  return whenKnown(needs.keys.verificationKeys(), (keys) => {
    const genuine = needs.genuine.get(digest);
    // A revoked key invalidates everything that it signed.
    if (genuine === undefined) return verifiedKey(needs, issuer, presented, digest, keys);
    return keys.some(({ kid }) => kid === genuine.kid) ? genuine.key : undefined;
  });
}

async function verifiedKey(
  { verifier, genuine }: SelfContainedTokenNeeds,
  issuer: string,
  presented: string,
  digest: Digest,
  keys: readonly JsonWebKey[],
): Promise<AccessTokenKey | undefined> {
  const verification = await verifier.verify(presented, keys, {
    algorithms: SIGNING_ALGORITHMS,
    types: [TYPE],
    // RFC 9068 §2.2.
    requiredClaims: ['iss', 'exp', 'aud', 'sub', 'client_id', 'iat', 'jti'],
    issuer,
    audience: { kind: 'any' },
    lifetimeMax: undefined,
    ageMax: undefined,
  });
  if (!verification.verified) return undefined;
  const { jti } = verification.claims;
  const { kid } = verification.header;
  if (typeof jti !== 'string' || !JTI.test(jti) || typeof kid !== 'string') return undefined;
  const key = keyOf(jti, digest);
  genuine.set(digest, { key, kid });
  return key;
}

function keyOf(jti: string, digest: Digest): AccessTokenKey {
  return (jti.slice(0, LOCATOR_LENGTH) + digest) as AccessTokenKey;
}
