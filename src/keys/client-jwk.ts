import { createPublicKey, X509Certificate } from 'node:crypto';
import { type KeyManagementAlgorithm, suits } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';
import { rsaModulusProblem } from './rsa-modulus.ts';

/** Members of private and symmetric keys: RFC 7518 §6.2.2, §6.3.2 and §6.4.1. */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const BASE64URL = /^[A-Za-z0-9_-]+$/;
const KEY_ID_LENGTH_MAX = 256;

/** Octets of a coordinate (RFC 7518 §6.2.1.2: "the full size of a coordinate"). */
const EC_COORDINATE_BYTES: Readonly<Record<string, number>> = { 'P-256': 32, 'P-384': 48, 'P-521': 66 };
const OKP_BYTES = 32;
const KNOWN_KEY_TYPES: ReadonlySet<string> = new Set(['RSA', 'EC', 'OKP']);

const RSA_SIGNING = /^(?:RS|PS)(?:256|384|512)$/;
const KEY_AGREEMENT = /^ECDH-ES(?:\+A(?:128|192|256)KW)?$/;

/** RFC 7518 §3.1 and §4.1, RFC 8037 §3 by `kty` or `crv`: an ECDSA algorithm has its own curve (RFC 7518 §3.4). */
const ALGORITHMS: Readonly<Record<string, Readonly<Partial<Record<'sig' | 'enc', RegExp>>>>> = {
  RSA: { sig: RSA_SIGNING, enc: /^RSA-OAEP(?:-256)?$/ },
  'P-256': { sig: /^ES256$/, enc: KEY_AGREEMENT },
  'P-384': { sig: /^ES384$/, enc: KEY_AGREEMENT },
  'P-521': { sig: /^ES512$/, enc: KEY_AGREEMENT },
  Ed25519: { sig: /^(?:EdDSA|Ed25519)$/ },
  X25519: { enc: KEY_AGREEMENT },
};

/**
 * Returns why a public key cannot be registered; undefined if it can. A key of an unknown type is kept and never used (RFC 7517 §5: "Implementations SHOULD ignore JWKs within a JWK Set that use "kty" … values that are not
 * understood by them").
 */
export const clientJwkProblem = (jwk: unknown): string | undefined =>
  clientJwkFormProblem(jwk) ?? pointProblem(jwk as JsonWebKey);

/** Returns what is wrong with the members of a public key. Its point is not read, which takes 28 µs: `pointProblem` does. */
export function clientJwkFormProblem(jwk: unknown): string | undefined {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) return 'is not a JSON object';
  const key = jwk as JsonWebKey;
  // A separate error, so that the sender learns of the leak.
  if (PRIVATE_MEMBERS.some((member) => member in key)) return 'holds a private or symmetric key';
  return (
    namingProblem(key) ??
    usageProblem(key) ??
    typeProblem(key) ??
    algorithmProblem(key) ??
    certificateProblem(key)
  );
}

function namingProblem({ kty, kid, x5u }: JsonWebKey): string | undefined {
  if (typeof kty !== 'string') return 'has no key type';
  if (kty === 'oct') return 'holds a private or symmetric key';
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > KEY_ID_LENGTH_MAX)) {
    return `has a kid that is not a string of 1 to ${KEY_ID_LENGTH_MAX} characters`;
  }
  return x5u === undefined ? undefined : 'has an x5u member, which is not supported';
}

const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  sig: ['verify'],
  enc: ['encrypt', 'wrapKey', 'deriveKey', 'deriveBits'],
};

function usageProblem({ use, key_ops }: JsonWebKey): string | undefined {
  if (use !== undefined && use !== 'sig' && use !== 'enc') return 'has a use other than sig and enc';
  if (key_ops !== undefined) {
    if (!Array.isArray(key_ops)) return 'has key_ops that are not an array';
    const allowed = typeof use === 'string' ? OPERATIONS[use] : Object.values(OPERATIONS).flat();
    if (!key_ops.every((operation) => allowed?.includes(String(operation))))
      return 'has key_ops that contradict its use';
  }
  return undefined;
}

/** Checks `alg` against key type, curve and use. A key of an unknown type may name any algorithm. */
function algorithmProblem({ kty, crv, use, alg }: JsonWebKey): string | undefined {
  const kind = String(kty === 'RSA' ? kty : crv);
  if (alg === undefined || !KNOWN_KEY_TYPES.has(String(kty)) || !Object.hasOwn(ALGORITHMS, kind))
    return undefined;
  const { sig, enc } = ALGORITHMS[kind] ?? {};
  const fitting = use === 'sig' ? [sig] : use === 'enc' ? [enc] : [sig, enc];
  return fitting.some((algorithms) => typeof alg === 'string' && algorithms?.test(alg))
    ? undefined
    : 'has an alg that does not fit its key type, curve or use';
}

function typeProblem(key: JsonWebKey): string | undefined {
  switch (key['kty']) {
    case 'RSA':
      return rsaProblem(key);
    case 'EC':
      return ecProblem(key);
    case 'OKP':
      return okpProblem(key);
    default:
      return undefined;
  }
}

/** Decodes canonical base64url only: two lenient decoders may read one text differently. */
function octets(value: unknown): Buffer | undefined {
  if (typeof value !== 'string' || !BASE64URL.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64url');
  return bytes.toString('base64url') === value ? bytes : undefined;
}

/** The only accepted exponent, 65537: with e = 1 every signature verifies, and small exponents have been attacked. */
const EXPONENT = 'AQAB';
const MODULUS_BYTES_MAX = 512;

function rsaProblem({ n, e }: JsonWebKey): string | undefined {
  if (e !== EXPONENT) return 'has a public exponent other than 65537';
  const modulus = octets(n);
  // RFC 7518 §6.3.1.1: "the minimum number of octets needed": a leading zero is a second spelling of the same key.
  if (modulus === undefined || modulus[0] === 0) return 'has a modulus that is not a Base64urlUInt';
  if (modulus.length > MODULUS_BYTES_MAX) return 'has a modulus of more than 4096 bits';
  return rsaModulusProblem(BigInt(`0x${modulus.toString('hex')}`));
}

function ecProblem({ crv, x, y }: JsonWebKey): string | undefined {
  const size = typeof crv === 'string' ? EC_COORDINATE_BYTES[crv] : undefined;
  if (size === undefined) return 'is on a curve other than P-256, P-384 and P-521';
  return octets(x)?.length === size && octets(y)?.length === size
    ? undefined
    : 'has a coordinate of the wrong size';
}

function okpProblem({ crv, x, use }: JsonWebKey): string | undefined {
  if (crv !== 'Ed25519' && crv !== 'X25519') return 'is on a curve other than Ed25519 and X25519';
  if (octets(x)?.length !== OKP_BYTES) return 'has a coordinate of the wrong size';
  const purpose = crv === 'Ed25519' ? 'sig' : 'enc';
  return use !== undefined && use !== purpose ? `is a key for ${purpose} with another use` : undefined;
}

/** Returns why a key whose members are right is no point of its curve; undefined if it is one, and for other types. */
export function pointProblem({ kty, crv, x, y }: JsonWebKey): string | undefined {
  if (kty === 'EC') return importProblem({ kty, crv, x, y }, 'is a point that is not on its curve');
  return kty === 'OKP' ? importProblem({ kty, crv, x }, 'cannot be read') : undefined;
}

function importProblem(key: JsonWebKey, problem: string): string | undefined {
  try {
    createPublicKey({ key, format: 'jwk' });
    return undefined;
  } catch {
    return problem;
  }
}

/** RFC 7517 §4.7: "The key in the first certificate MUST match the public key represented by other members of the JWK." */
function certificateProblem(key: JsonWebKey): string | undefined {
  const chain = key['x5c'];
  if (chain === undefined) return undefined;
  const [first] = Array.isArray(chain) ? chain : [];
  if (typeof first !== 'string') return 'has an x5c that is not a list of certificates';
  try {
    const certified = new X509Certificate(Buffer.from(first, 'base64')).publicKey.export({ format: 'jwk' });
    const same = ['kty', 'n', 'e', 'crv', 'x', 'y'].every(
      (member) => Reflect.get(certified, member) === key[member],
    );
    return same ? undefined : 'has a certificate for another key';
  } catch {
    return 'has an x5c that cannot be read';
  }
}

/**
 * Chooses the key of a client's set to encrypt with. A key with use `enc` wins over one without a use, then a key that names
 * the algorithm over one that does not (RFC 7517 §4.2, §4.4). Among equals the first wins: owners put the newest first.
 */
export function encryptionKey(
  keys: readonly JsonWebKey[],
  algorithm: KeyManagementAlgorithm,
): JsonWebKey | undefined {
  const fitting = keys.filter((key) => suits(key, algorithm, 'encrypt'));
  const said = ({ use, alg }: JsonWebKey): number => (use === 'enc' ? 2 : 0) + (alg === undefined ? 0 : 1);
  const most = Math.max(...fitting.map(said));
  return fitting.find((key) => said(key) === most);
}

/** Tells whether two keys share a `kid` and use. RFC 7517 §4.5: "When "kid" values are used within a JWK Set, different keys … SHOULD use distinct "kid" values." */
export function duplicateKeyId(keys: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const key of keys as readonly JsonWebKey[]) {
    const { kid, use } = key;
    if (typeof kid !== 'string') continue;
    const name = JSON.stringify([kid, use ?? null]);
    if (seen.has(name)) return true;
    seen.add(name);
  }
  return false;
}
