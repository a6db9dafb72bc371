import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign, compactVerify, importJWK, type JWK } from 'jose';

export type Json = Record<string, unknown>;

/** The key pair of an entity, with the algorithm that it signs with. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: KeyObject;
  /** The public key as a JWK with `kid`, `alg` and `use`. */
  readonly jwk: Json;
}

const CURVES: Readonly<Record<string, string>> = { ES256: 'P-256', ES384: 'P-384', ES512: 'P-521' };
const RSA_BITS = 2048;
let rsa: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;

/** Makes a key pair. All RSA keys of a run are one pair, because making one takes a tenth of a second. */
export function makeKey(kid: string, alg = 'ES256'): SigningKey {
  const namedCurve = CURVES[alg];
  const pair =
    namedCurve === undefined
      ? (rsa ??= generateKeyPairSync('rsa', { modulusLength: RSA_BITS }))
      : generateKeyPairSync('ec', { namedCurve });
  return signingKey(kid, alg, pair);
}

export function signingKey(
  kid: string,
  alg: string,
  { privateKey, publicKey }: { readonly privateKey: KeyObject; readonly publicKey: KeyObject },
): SigningKey {
  return { kid, alg, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** Signs claims. The header is signed as it is, except for `alg`, which is the key's where it is absent. */
export async function signed(key: SigningKey, header: Json, claims: Json): Promise<string> {
  const full = { alg: key.alg, ...header };
  const bytes = new TextEncoder().encode(JSON.stringify(claims));

  return await new CompactSign(bytes).setProtectedHeader(full).sign(key.privateKey);
}

/** Returns a JWT of this header and these claims with any text as its signature. */
export function withSignature(header: Json, claims: Json, signature: string): string {
  const part = (value: Json): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part(header)}.${part(claims)}.${signature}`;
}

export interface OpenedJwt {
  readonly header: Json;
  readonly claims: Json;
}

/** Returns header and claims of a JWT, unverified; undefined if the text is none. */
export function opened(jwt: string): OpenedJwt | undefined {
  const parts = jwt.split('.');
  if (parts.length !== 3) return undefined;
  const [header, claims] = parts.slice(0, 2).map(jsonObject);
  return header === undefined || claims === undefined ? undefined : { header, claims };
}

function jsonObject(part: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether one of these public keys has the `kid` of the header and made the signature. */
export async function isSignedBy(jwt: string, keys: readonly Json[]): Promise<boolean> {
  const { kid, alg } = opened(jwt)?.header ?? {};
  for (const key of keys.filter((known) => kid === undefined || known['kid'] === kid)) {
    try {
      await compactVerify(jwt, await importJWK(key as JWK, String(alg)));
      return true;
    } catch {
      // The next key.
    }
  }
  return false;
}
