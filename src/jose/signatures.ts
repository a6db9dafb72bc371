import {
  constants,
  createPublicKey,
  type KeyObject,
  type SigningOptions,
  sign as signCallback,
  verify,
} from 'node:crypto';
import { SharedBound } from '../spec/bounded-map.ts';
import { type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** RFC 7518 §3.3 and §3.5: "A key of size 2048 bits or larger MUST be used". */
const RSA_BITS_MIN = 2048;
/** An imported key takes 1.4 to 2.8 KB outside the heap. */
const KEYS_KEPT_MAX = 2_000;

/** Signs octets on the thread pool (RFC 7518 §3). @throws Error if the key does not fit the algorithm */
export async function signature(
  octets: Uint8Array,
  alg: SignatureAlgorithm,
  jwk: JsonWebKey,
  key: KeyObject,
): Promise<Buffer> {
  if (!suits(jwk, alg, 'sign')) throw new Error(`the key does not fit ${alg}`);
  requireLength(key);
  return await new Promise((resolve, reject) => {
    signCallback(hashOf(alg), octets, { key, ...formOf(alg) }, (error, made) =>
      error === null ? resolve(made) : reject(error),
    );
  });
}

/** Verifies a signature. The caller knows that the key fits the algorithm. */
export type IsSignature = (
  made: Uint8Array,
  octets: Uint8Array,
  alg: SignatureAlgorithm,
  key: KeyObject,
) => Promise<boolean>;

/** Verifies on the thread pool. */
export const verifiedOnPool: IsSignature = (made, octets, alg, key) =>
  new Promise((resolve, reject) => {
    verify(hashOf(alg), octets, { key, ...formOf(alg) }, made, (error, holds) =>
      error === null ? resolve(holds) : reject(error),
    );
  });

/** Verified in one turn of the event loop, so that other requests wait about half a millisecond for them. */
const IN_A_TURN = 8;

/** Algorithms of large curves. A verification takes ten times as long as any other one. */
const SLOW: ReadonlySet<SignatureAlgorithm> = new Set(['ES384', 'ES512']);

/**
 * Returns a function that verifies on the calling thread, some signatures in each turn of the event loop. So the other requests of a
 * turn are answered first, and no sender of bad signatures makes them wait for all of his.
 */
function verifiedInTurns(): IsSignature {
  const waiting: (() => void)[] = [];
  const turn = (): void => {
    for (const act of waiting.splice(0, IN_A_TURN)) act();
    if (waiting.length > 0) setImmediate(turn);
  };
  return (made, octets, alg, key) => {
    if (SLOW.has(alg)) return verifiedOnPool(made, octets, alg, key);
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push(() => {
        try {
          resolve(verify(hashOf(alg), octets, { key, ...formOf(alg) }, made));
        } catch (failure) {
          reject(failure);
        }
      });
    });
  };
}

/**
 * Returns how a process with this many cores verifies. On one core the threads of the pool only take turns with the main thread: they
 * have four of five turns, and each hand-over costs a seventh of a verification (ADR 105).
 */
export const signatureCheck = (cores: number): IsSignature =>
  cores > 1 ? verifiedOnPool : verifiedInTurns();

/** EdDSA hashes for itself. */
const hashOf = (alg: SignatureAlgorithm): string | null => (alg === 'EdDSA' ? null : `sha${alg.slice(2)}`);

const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
const JOINED = { dsaEncoding: 'ieee-p1363' } as const;
const PLAIN = {};

/** RFC 7518 §3.4 joins R and S, and §3.5 has a salt as long as the hash. */
function formOf(alg: SignatureAlgorithm): SigningOptions {
  if (alg.startsWith('PS')) return PSS;
  return alg.startsWith('ES') ? JOINED : PLAIN;
}

function requireLength({ asymmetricKeyDetails: { modulusLength = RSA_BITS_MIN } = {} }: KeyObject): void {
  if (modulusLength < RSA_BITS_MIN) throw new Error(`an RSA key has ${modulusLength} bits`);
}

/**
 * Returns a function that imports public keys. It keeps those that it is asked for again, by object: a client's key comes with
 * each of its assertions, the key of a DPoP proof comes once. The import costs a third of a verification with ES256.
 */
export function publicKeys(): (jwk: JsonWebKey) => KeyObject {
  const kept = new SharedBound('public-keys', KEYS_KEPT_MAX).open<JsonWebKey, KeyObject>({ weigh: () => 1 });
  const seen = new WeakSet<JsonWebKey>();
  return (jwk) => {
    const known = kept.get(jwk);
    if (known !== undefined) return known;
    const key = createPublicKey({ key: { ...publicJwk(jwk) }, format: 'jwk' });
    requireLength(key);
    if (seen.has(jwk)) kept.set(jwk, key);
    else seen.add(jwk);
    return key;
  };
}
