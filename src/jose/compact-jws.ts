import { createHmac, timingSafeEqual } from 'node:crypto';
import type { JwtSigner } from '../ports/jwt-signer.ts';
import { JWT_LENGTH_MAX, type JwtProblem, type JwtRefusal, KEYS_TRIED_MAX } from '../ports/jwt-verifier.ts';
import { OAuthError } from '../spec/errors.ts';
import { type MacAlgorithm, type SignatureAlgorithm, suits } from '../spec/jose-algorithms.ts';
import { type JsonObject, type JsonValue, parseJsonObject } from '../spec/json.ts';
import { type JsonWebKey, publicJwk } from '../spec/jwk.ts';
import { privateKeys } from './private-keys.ts';
import {
  type IsSignature,
  publicKeys,
  SIGNATURES_ON_POOL,
  type Signatures,
  signature,
} from './signatures.ts';

/** The parts of a compact JWS. Nothing in it is verified. */
export interface UnverifiedJws {
  readonly compact: string;
  readonly header: JsonObject['members'];
  readonly payload: Uint8Array;
}

export type Refused = JwtProblem;

/** RFC 7515 §7.1: three segments. None may be empty, because a JWT has a payload and a signature. */
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

const JSON_LIMITS = { depth: 16, members: 200 };

/** Members that change how the rest is read: RFC 7515 §4.1.11, RFC 7797 §3, RFC 7516 §4.1.3. */
const REREADING_MEMBERS = ['crit', 'b64', 'zip'];

export function parseCompactJws(compact: string, lengthMax = JWT_LENGTH_MAX): UnverifiedJws | Refused {
  if (compact.length > lengthMax) return { reason: 'too-large' };
  const segments = COMPACT.exec(compact)?.slice(1).map(canonicalOctets);
  const [first, payload, signature] = segments ?? [];
  if (first === undefined || payload === undefined || signature === undefined) return { reason: 'malformed' };
  const header = parseObject(first)?.members;
  if (header === undefined) return { reason: 'malformed' };
  return headerIsPlain(header) ? { compact, header, payload } : { reason: 'header' };
}

/** The last characters of two or three, which leave no bit over (RFC 4648 §3.5), by the number of characters behind the groups of four. */
const LAST_CHARACTERS = ['', undefined, 'AQgw', 'AEIMQUYcgkosw048'] as const;

/**
 * Decodes a segment. Returns undefined for another spelling of the same octets: it would make a second JWT of one.
 * @param segment characters of base64url
 */
export function canonicalOctets(segment: string): Uint8Array | undefined {
  const last = LAST_CHARACTERS[segment.length % 4];
  if (last === undefined || (last !== '' && !last.includes(segment.slice(-1)))) return undefined;
  return Buffer.from(segment, 'base64url');
}

/** Parses a header or claims; undefined for anything else. RFC 7515 §4: "Header Parameter names … MUST be unique", which the strict parser requires of claims too. */
export function parseObject(octets: Uint8Array): JsonObject | undefined {
  try {
    return parseJsonObject(octets, JSON_LIMITS);
  } catch (failure) {
    if (failure instanceof OAuthError) return undefined;
    throw failure;
  }
}

/** Returns the header member behind a refusal, for the log. */
export function headerBehind(reason: JwtRefusal, { alg, kid, typ }: JsonObject['members']): JwtProblem {
  const [name, value] =
    reason === 'algorithm' ? ['alg', alg] : reason === 'type' ? ['typ', typ] : ['kid', kid];
  return value === undefined ? { reason } : { reason, found: { [name]: value } };
}

function headerIsPlain(header: JsonObject['members']): boolean {
  if (REREADING_MEMBERS.some((member) => member in header)) return false;
  return [header['kid'], header['typ']].every((value) => value === undefined || typeof value === 'string');
}

interface SignatureNeeds {
  /** The keys that are known to have made this signature. A key that is found is added. */
  readonly signers?: Set<string>;
  readonly isSignature?: IsSignature;
}

/** Verifies a signature. Returns the reason if it does not hold, otherwise undefined. */
export async function signatureProblem(
  jws: Pick<UnverifiedJws, 'compact' | 'header'>,
  keys: readonly JsonWebKey[],
  algorithms: readonly SignatureAlgorithm[],
  { signers, isSignature = SIGNATURES_ON_POOL.isSignature }: SignatureNeeds = {},
): Promise<JwtRefusal | undefined> {
  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);
  if (algorithm === undefined) return 'algorithm';
  const candidates = keys.filter((key) => isCandidate(key, algorithm, jws.header['kid']));
  if (candidates.length === 0) return 'unknown-key';
  for (const key of candidates.slice(0, KEYS_TRIED_MAX)) {
    // By content: a superior repeats the key that a statement itself has.
    const signer = signers === undefined ? '' : JSON.stringify([algorithm, publicJwk(key)]);
    if (signers?.has(signer) === true) return undefined;
    if (!(await isSignedBy(jws.compact, key, algorithm, isSignature))) continue;
    signers?.add(signer);
    return undefined;
  }
  return 'signature';
}

function isCandidate(key: JsonWebKey, algorithm: SignatureAlgorithm, kid: JsonValue | undefined): boolean {
  if (kid !== undefined && key['kid'] !== kid) return false;
  return suits(key, algorithm, 'verify') && (key['kty'] !== 'RSA' || hasUsableExponent(key));
}

/** Tells whether the exponent is 65537. With e = 1 every signature verifies; this check does not rely on the key policy having run. */
const hasUsableExponent = ({ e }: JsonWebKey): boolean => e === 'AQAB';

const publicKeyOf = publicKeys();

async function isSignedBy(
  compact: string,
  key: JsonWebKey,
  algorithm: SignatureAlgorithm,
  isSignature: IsSignature,
): Promise<boolean> {
  const end = compact.lastIndexOf('.');
  const made = Buffer.from(compact.slice(end + 1), 'base64url');
  try {
    return await isSignature(made, Buffer.from(compact.slice(0, end), 'latin1'), algorithm, publicKeyOf(key));
  } catch {
    // An unreadable key and a wrong signature mean the same: this key did not sign it.
    return false;
  }
}

/** RFC 7518 §3.2. */
const HASHES: Readonly<Record<MacAlgorithm, { readonly name: string; readonly octets: number }>> = {
  HS256: { name: 'sha256', octets: 32 },
  HS384: { name: 'sha384', octets: 48 },
  HS512: { name: 'sha512', octets: 64 },
};

/** Finds the secret that made the MAC of `jws`. Always tries all secrets, so that the time does not reveal which one it was. */
export function matchingSecret(
  jws: UnverifiedJws,
  secrets: readonly Uint8Array[],
  algorithms: readonly MacAlgorithm[],
): { readonly secretIndex: number } | Refused {
  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);
  if (algorithm === undefined) return headerBehind('algorithm', jws.header);
  const { name, octets } = HASHES[algorithm];
  const end = jws.compact.lastIndexOf('.');
  const input = jws.compact.slice(0, end);
  const presented = Buffer.from(jws.compact.slice(end + 1), 'base64url');
  let secretIndex = -1;
  let usable = 0;
  for (const [index, secret] of secrets.entries()) {
    if (secret.length < octets) continue;
    usable += 1;
    const mac = createHmac(name, secret).update(input).digest();
    if (presented.length === octets && timingSafeEqual(presented, mac)) secretIndex = index;
  }
  if (usable === 0) return { reason: 'unknown-key' };
  return secretIndex < 0 ? { reason: 'signature' } : { secretIndex };
}

const segment = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function joseJwtSigner(signatures: Signatures = SIGNATURES_ON_POOL): JwtSigner {
  const keyOf = privateKeys();
  return {
    async sign(claims, { alg, kid, typ }, privateKey) {
      const header = typ === undefined ? { alg, kid } : { alg, kid, typ };
      const signed = `${segment(header)}.${segment(claims)}`;
      const made = await signature(signatures, Buffer.from(signed), alg, privateKey, keyOf(privateKey));
      return `${signed}.${made.toString('base64url')}`;
    },
    signOctets: async (octets, alg, privateKey) =>
      await signature(signatures, octets, alg, privateKey, keyOf(privateKey)),
  };
}
