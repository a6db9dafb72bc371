import { compactVerify, importJWK } from 'jose';
import {
  JWT_LENGTH_MAX,
  type JwtRefusal,
  KEYS_TRIED_MAX,
  type SignatureAlgorithm,
} from '../ports/jwt-verifier.ts';
import { OAuthError } from '../spec/errors.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../spec/json.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';

/** A compact JWS taken apart; nothing in it is verified. */
export interface UnverifiedJws {
  readonly compact: string;
  readonly header: JsonObject['members'];
  readonly payload: Uint8Array;
}

export type Refused = { readonly reason: JwtRefusal };

/** RFC 7515 §7.1: three segments; an empty one is a JWS without payload or without signature, and no JWT. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

const JSON_LIMITS = { depth: 16, members: 200 };

/** Members that change how the rest is read: RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1.3. */
const REREADING_MEMBERS = ['crit', 'b64', 'zip'];

export function parseCompactJws(compact: string): UnverifiedJws | Refused {
  if (compact.length > JWT_LENGTH_MAX) return { reason: 'too-large' };
  const segments = COMPACT.exec(compact)?.slice(1).map(canonicalOctets);
  const [first, payload, signature] = segments ?? [];
  if (first === undefined || payload === undefined || signature === undefined) return { reason: 'malformed' };
  const header = parseObject(first)?.members;
  if (header === undefined) return { reason: 'malformed' };
  return headerIsPlain(header) ? { compact, header, payload } : { reason: 'header' };
}

/** Undefined for another spelling of the same octets, which would make a second JWT of one. */
function canonicalOctets(segment: string): Uint8Array | undefined {
  const octets = Buffer.from(segment, 'base64url');
  return octets.toString('base64url') === segment ? octets : undefined;
}

/** RFC 7515 §4: "Header Parameter names … MUST be unique"; the strict parser holds it to that, and claims as well. */
export function parseObject(octets: Uint8Array): JsonObject | undefined {
  try {
    return parseJsonObject(octets, JSON_LIMITS);
  } catch (failure) {
    if (failure instanceof OAuthError) return undefined;
    throw failure;
  }
}

function headerIsPlain(header: JsonObject['members']): boolean {
  if (REREADING_MEMBERS.some((member) => member in header)) return false;
  return [header['kid'], header['typ']].every((value) => value === undefined || typeof value === 'string');
}

/** @returns why the signature does not hold; undefined when it does */
export async function signatureProblem(
  jws: UnverifiedJws,
  keys: readonly JsonWebKey[],
  algorithms: readonly SignatureAlgorithm[],
): Promise<JwtRefusal | undefined> {
  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);
  if (algorithm === undefined) return 'algorithm';
  const candidates = keys.filter((key) => isCandidate(key, algorithm, jws.header['kid']));
  if (candidates.length === 0) return 'unknown-key';
  for (const key of candidates.slice(0, KEYS_TRIED_MAX)) {
    if (await isSignedBy(jws.compact, key, algorithm)) return undefined;
  }
  return 'signature';
}

interface KeyForm {
  readonly kty: string;
  readonly crv?: string;
}

/** RFC 7518 §3.1 and RFC 8037 §3.1: the one kind of key that belongs to an algorithm. */
const KEY_FORMS: Readonly<Record<SignatureAlgorithm, KeyForm>> = {
  RS256: { kty: 'RSA' },
  RS384: { kty: 'RSA' },
  RS512: { kty: 'RSA' },
  PS256: { kty: 'RSA' },
  PS384: { kty: 'RSA' },
  PS512: { kty: 'RSA' },
  ES256: { kty: 'EC', crv: 'P-256' },
  ES384: { kty: 'EC', crv: 'P-384' },
  ES512: { kty: 'EC', crv: 'P-521' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519' },
};

/** RFC 9864 §2.2 names EdDSA with this curve anew. */
const sameAlgorithm = (keyAlgorithm: unknown, algorithm: SignatureAlgorithm): boolean =>
  keyAlgorithm === algorithm || (algorithm === 'EdDSA' && keyAlgorithm === 'Ed25519');

function isCandidate(key: JsonWebKey, algorithm: SignatureAlgorithm, kid: JsonValue | undefined): boolean {
  const form = KEY_FORMS[algorithm];
  const { kty, crv, use, key_ops, alg } = key;
  if (kty !== form.kty || (form.crv !== undefined && crv !== form.crv)) return false;
  if (kid !== undefined && key['kid'] !== kid) return false;
  if (use !== undefined && use !== 'sig') return false;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) return false;
  if (alg !== undefined && !sameAlgorithm(alg, algorithm)) return false;
  return kty !== 'RSA' || hasUsableExponent(key);
}

/** With e = 1 anybody's signature verifies. The key policy says so too; here it does not depend on who asked it. */
const hasUsableExponent = ({ e }: JsonWebKey): boolean => e === 'AQAB';

async function isSignedBy(compact: string, key: JsonWebKey, algorithm: SignatureAlgorithm): Promise<boolean> {
  try {
    const imported = await importJWK({ ...publicJwk(key), kty: String(key['kty']) }, algorithm);
    await compactVerify(compact, imported, { algorithms: [algorithm] });
    return true;
  } catch {
    // A key that cannot be read and a signature that is another's come to the same: it is not signed by this key.
    return false;
  }
}
