import { constants, createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { MacAlgorithm, SignatureAlgorithm } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

type PublicJwk = JsonWebKey & { kty: string; kid: string };

/** A key pair of a test, made when the test starts. */
export interface TestKey {
  readonly algorithm: SignatureAlgorithm;
  readonly kid: string;
  /** The public key. */
  readonly jwk: PublicJwk;
  readonly privateKey: KeyObject;
}

export function testKey(algorithm: SignatureAlgorithm, kid = 'k1'): TestKey {
  const { publicKey, privateKey } = keyPair(algorithm);
  return { algorithm, kid, privateKey, jwk: { ...(publicKey.export({ format: 'jwk' }) as PublicJwk), kid } };
}

function keyPair(algorithm: SignatureAlgorithm): { publicKey: KeyObject; privateKey: KeyObject } {
  switch (algorithm) {
    case 'ES256':
      return generateKeyPairSync('ec', { namedCurve: 'P-256' });
    case 'ES384':
      return generateKeyPairSync('ec', { namedCurve: 'P-384' });
    case 'ES512':
      return generateKeyPairSync('ec', { namedCurve: 'P-521' });
    case 'EdDSA':
      return generateKeyPairSync('ed25519');
    default:
      return generateKeyPairSync('rsa', { modulusLength: 2048 });
  }
}

export function segment(content: string | Uint8Array): string {
  return Buffer.from(content).toString('base64url');
}

/** A JWT of these claims, or of this payload as it stands; members of `header` go before the usual ones. */
export function signedJwt(key: TestKey, claims: object | string | Uint8Array, header: object = {}): string {
  const { algorithm: alg, kid } = key;
  return signedSegments(key, JSON.stringify({ alg, kid, ...header }), payloadOf(claims));
}

function payloadOf(claims: object | string | Uint8Array): string | Uint8Array {
  return typeof claims === 'string' || claims instanceof Uint8Array ? claims : JSON.stringify(claims);
}

/** A JWT of these claims with a MAC; members of `header` go before the usual one. */
export function macJwt(
  alg: MacAlgorithm,
  secret: string | Uint8Array,
  claims: object | string | Uint8Array,
  header: object = {},
): string {
  const input = `${segment(JSON.stringify({ alg, ...header }))}.${segment(payloadOf(claims))}`;
  return `${input}.${createHmac(`sha${alg.slice(2)}`, secret)
    .update(input)
    .digest('base64url')}`;
}

/** Signs whatever the two texts are, well-formed or not. */
export function signedSegments(key: TestKey, header: string, payload: string | Uint8Array): string {
  const input = `${segment(header)}.${segment(payload)}`;
  return `${input}.${segment(signature(key, input))}`;
}

/** RFC 7518 §3 and RFC 8037 §3.1, by Node's own cryptography: the package under test has no part in it. */
export function signature({ algorithm, privateKey }: TestKey, input: string): Uint8Array {
  const data = Buffer.from(input);
  if (algorithm === 'EdDSA') return sign(null, data, privateKey);
  const digest = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith('ES')) return sign(digest, data, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return algorithm.startsWith('PS')
    ? sign(digest, data, {
        key: privateKey,
        padding: constants.RSA_PKCS1_PSS_PADDING,
        saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
      })
    : sign(digest, data, privateKey);
}
