import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** A JWS in compact form whose signature is not verified. */
export interface UnverifiedJwt {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly signed: Buffer;
  readonly signature: Buffer;
}

/** The algorithms of RFC 7518 §3.1 and RFC 8037 §3.1 that a public key verifies. */
const ALGORITHMS: Readonly<
  Record<string, { readonly kty: string; readonly crv?: string; readonly hash: string | null }>
> = {
  RS256: { kty: 'RSA', hash: 'sha256' },
  RS384: { kty: 'RSA', hash: 'sha384' },
  RS512: { kty: 'RSA', hash: 'sha512' },
  PS256: { kty: 'RSA', hash: 'sha256' },
  PS384: { kty: 'RSA', hash: 'sha384' },
  PS512: { kty: 'RSA', hash: 'sha512' },
  ES256: { kty: 'EC', crv: 'P-256', hash: 'sha256' },
  ES384: { kty: 'EC', crv: 'P-384', hash: 'sha384' },
  ES512: { kty: 'EC', crv: 'P-521', hash: 'sha512' },
  EdDSA: { kty: 'OKP', crv: 'Ed25519', hash: null },
  Ed25519: { kty: 'OKP', crv: 'Ed25519', hash: null },
};

export const SIGNING_ALGORITHMS: readonly string[] = Object.keys(ALGORITHMS);

const RSA_BITS_MIN = 2048;
const COMPACT = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/u;

/** Parses a JWT; undefined for any other text. Nothing in it is verified. */
export function parseJwt(text: string): UnverifiedJwt | undefined {
  const [, header = '', payload = '', signature = ''] = COMPACT.exec(text) ?? [];
  // No key is needed to change the bits after the last byte: the same signature would have several texts.
  if (Buffer.from(signature, 'base64url').toString('base64url') !== signature) return undefined;
  const parsed = [objectOf(header), objectOf(payload)] as const;
  if (parsed[0] === undefined || parsed[1] === undefined) return undefined;
  // A header parameter that a reader must understand (RFC 7515 §4.1.11) is not understood here.
  if ('crit' in parsed[0]) return undefined;
  return {
    header: parsed[0],
    claims: parsed[1],
    signed: Buffer.from(`${header}.${payload}`, 'latin1'),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function objectOf(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The orders of the groups of ECDSA (FIPS 186-5, SP 800-186 §3.2.1). */
const ORDERS: Readonly<Record<string, bigint>> = {
  ES256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ES384: 0xffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973n,
  ES512:
    0x1fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409n,
};

/**
 * Returns the other text that a verified JWT can have: beside each ECDSA signature (r, s), (r, n − s) is valid too, and no key is
 * needed to write it. Undefined for other algorithms.
 */
export function otherTextOf({ header, signed, signature }: UnverifiedJwt): string | undefined {
  const order = ORDERS[String(header['alg'])];
  if (order === undefined) return undefined;
  const half = signature.length / 2;
  const s = order - BigInt(`0x${signature.subarray(half).toString('hex')}`);
  const other = Buffer.from(s.toString(16).padStart(2 * half, '0'), 'hex');
  return `${signed.toString('latin1')}.${Buffer.concat([signature.subarray(0, half), other]).toString('base64url')}`;
}

/** A public key, and the algorithms that it verifies. */
export interface PublicKey {
  readonly key: KeyObject;
  readonly kty: string;
  readonly crv: string | undefined;
  /** The only algorithm, if the JWK names one (RFC 7517 §4.4). */
  readonly alg: string | undefined;
}

/** Reads a public JWK; undefined for one that verifies no signature. */
export function publicKeyOf(jwk: Readonly<Record<string, unknown>>): PublicKey | undefined {
  const { kty, crv, alg, use } = jwk;
  if ((use !== undefined && use !== 'sig') || typeof kty !== 'string') return undefined;
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const bits = key.asymmetricKeyDetails?.modulusLength;
    if (bits !== undefined && bits < RSA_BITS_MIN) return undefined;
    return {
      key,
      kty,
      crv: typeof crv === 'string' ? crv : undefined,
      alg: typeof alg === 'string' ? alg : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Says whether the signature of a JWT is that of the key. The algorithm must be one of the key (RFC 8725 §3.1). */
export function isSignedBy(
  { header, signed, signature }: UnverifiedJwt,
  { key, kty, crv, alg }: PublicKey,
): boolean {
  const name = String(header['alg']);
  const algorithm = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined;
  if (algorithm === undefined || algorithm.kty !== kty || (alg !== undefined && alg !== name)) return false;
  if (algorithm.crv !== undefined && algorithm.crv !== crv) return false;
  const padding = name.startsWith('PS')
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
  return verify(algorithm.hash, signed, { key, dsaEncoding: 'ieee-p1363', ...padding }, signature);
}
