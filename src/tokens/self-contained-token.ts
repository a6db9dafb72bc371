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

/** RFC 9068 §2.1: "the "typ" value used SHOULD be "at+jwt"". No other JWT of this server has it. */
const TYPE = 'at+jwt';

const JTI = new RegExp(`^[0-9A-Za-z]{${LOCATOR_LENGTH + IDENTIFIER_LENGTHS.instance}}$`);

export interface SelfContainedTokenNeeds {
  readonly keys: Pick<ServerKeys, 'sign' | 'verificationKeys'>;
  readonly verifier: JwtVerifier;
  readonly algorithm: SignatureAlgorithm;
  /** What `aud` says where nobody says: RFC 9068 §2.2 requires one. Never empty. */
  readonly defaultAudience: readonly string[];
  /** JWTs whose signature was found to be ours, by their digest: it need not be verified again. */
  readonly genuine: BoundedMap<Digest, GenuineJwt>;
}

/** Where the record of a genuine JWT stands, and the key that signed it: it must still be one of ours. */
export interface GenuineJwt {
  readonly key: AccessTokenKey;
  readonly kid: string;
}

/** The claims of RFC 9068 §2.2 besides `jti`, and what stands beside them. */
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
 * A JWT access token (RFC 9068), and the key of its record: the locator that its `jti` begins with, and its digest.
 * @throws OAuthError invalid_request where what it holds makes it longer than this server reads
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
      error_description: `a self-contained access token of this content is longer than ${JWT_LENGTH_MAX} characters`,
    });
  }
  return { access_token, key: keyOf(claims.jti, digestOf(access_token)) };
}

/** Whether a text may be a JWT: begins with `{"` in base64url. */
export function mayBeJwt(presented: string): boolean {
  return presented.startsWith('eyJ') && presented.length <= JWT_LENGTH_MAX;
}

/**
 * The key of the record of a JWT that this server signed as an access token.
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
    // A key that was withdrawn takes with it what it signed.
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
