import { constants, createPublicKey, type KeyObject, type SigningOptions, sign, verify } from 'node:crypto';
import { SharedBound } from '../spec/bounded-map.ts';
import { type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** RFC 7518 §3.3 and §3.5: "A key of size 2048 bits or larger MUST be used". */
const RSA_BITS_MIN = 2048;
/** An imported key takes 1.4 to 2.8 KB outside the heap. */
const KEYS_KEPT_MAX = 2_000;

/** Signs octets (RFC 7518 §3). The caller knows that the key fits the algorithm. */
type Sign = (octets: Uint8Array, alg: SignatureAlgorithm, key: KeyObject) => Promise<Buffer>;

/** Verifies a signature. The caller knows that the key fits the algorithm. */
export type IsSignature = (
  made: Uint8Array,
  octets: Uint8Array,
  alg: SignatureAlgorithm,
  key: KeyObject,
) => Promise<boolean>;

/** How a process signs and verifies. */
export interface Signatures {
  readonly sign: Sign;
  readonly isSignature: IsSignature;
}

/** Signs and verifies on the thread pool. */
export const SIGNATURES_ON_POOL: Signatures = {
  sign: (octets, alg, key) =>
    new Promise((resolve, reject) => {
      sign(hashOf(alg), octets, { key, ...formOf(alg) }, (error, made) =>
        error === null ? resolve(made) : reject(error),
      );
    }),
  isSignature: (made, octets, alg, key) =>
    new Promise((resolve, reject) => {
      verify(hashOf(alg), octets, { key, ...formOf(alg) }, made, (error, holds) =>
        error === null ? resolve(holds) : reject(error),
      );
    }),
};

/** In one turn of the event loop, so that other requests wait about half a millisecond for them. */
const VERIFIED_IN_A_TURN = 8;
const SIGNED_IN_A_TURN = 16;

/** Algorithms of large curves. A verification takes ten times as long as any other one. */
const SLOW_TO_VERIFY: ReadonlySet<SignatureAlgorithm> = new Set(['ES384', 'ES512']);
/** A signature takes about 30 µs. One with RSA takes 250 µs or more, so the hand-over to the pool costs little beside it. */
const FAST_TO_SIGN: ReadonlySet<SignatureAlgorithm> = new Set(['ES256', 'EdDSA']);

/**
 * Returns a function that runs acts on the calling thread, some in each turn of the event loop. So the other requests of a turn are
 * answered first, and no sender of bad signatures makes them wait for all of his.
 */
function inTurns(most: number): <Made>(act: () => Made) => Promise<Made> {
  const waiting: (() => void)[] = [];
  const turn = (): void => {
    for (const act of waiting.splice(0, most)) act();
    if (waiting.length > 0) setImmediate(turn);
  };
  return (act) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(turn);
      waiting.push(() => {
        try {
          resolve(act());
        } catch (failure) {
          reject(failure);
        }
      });
    });
}

function signaturesInTurns(): Signatures {
  const verifyInTurn = inTurns(VERIFIED_IN_A_TURN);
  const signInTurn = inTurns(SIGNED_IN_A_TURN);
  return {
    sign: (octets, alg, key) =>
      FAST_TO_SIGN.has(alg)
        ? signInTurn(() => sign(hashOf(alg), octets, { key, ...formOf(alg) }))
        : SIGNATURES_ON_POOL.sign(octets, alg, key),
    isSignature: (made, octets, alg, key) =>
      SLOW_TO_VERIFY.has(alg)
        ? SIGNATURES_ON_POOL.isSignature(made, octets, alg, key)
        : verifyInTurn(() => verify(hashOf(alg), octets, { key, ...formOf(alg) }, made)),
  };
}

/**
 * Returns how a process with this many cores signs and verifies. On one core the threads of the pool only take turns with the main
 * thread: they have four of five turns, and each hand-over costs a seventh of a verification (ADR 105).
 */
export const signaturesFor = (cores: number): Signatures =>
  cores > 1 ? SIGNATURES_ON_POOL : signaturesInTurns();

/** Signs octets for a JWS. @throws Error if the key does not fit the algorithm */
export async function signature(
  by: Signatures,
  octets: Uint8Array,
  alg: SignatureAlgorithm,
  jwk: JsonWebKey,
  key: KeyObject,
): Promise<Buffer> {
  if (!suits(jwk, alg, 'sign')) throw new Error(`the key does not fit ${alg}`);
  requireLength(key);
  return await by.sign(octets, alg, key);
}

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
 * Returns a function that imports public keys and keeps them, by content: clients sign one assertion or DPoP proof after the other
 * with one key. The import costs a third of a verification with ES256.
 */
export function publicKeys(): (jwk: JsonWebKey) => KeyObject {
  const kept = new SharedBound('public-keys', KEYS_KEPT_MAX).open<string, KeyObject>({ weigh: () => 1 });
  const contents = new WeakMap<JsonWebKey, string>();
  return (jwk) => {
    let content = contents.get(jwk);
    if (content === undefined) {
      content = JSON.stringify(publicJwk(jwk));
      // A client's key comes as one object again and again.
      contents.set(jwk, content);
    }
    const known = kept.get(content);
    if (known !== undefined) return known;
    const key = createPublicKey({ key: { ...publicJwk(jwk) }, format: 'jwk' });
    requireLength(key);
    kept.set(content, key);
    return key;
  };
}
