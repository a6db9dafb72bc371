import type { JsonWebKey } from './jwk.ts';
import type {
  CONTENT_ENCRYPTION_ALGORITHMS,
  HMAC_ALGORITHMS,
  KEY_MANAGEMENT_ALGORITHMS,
  SIGNING_ALGORITHMS,
  XML_SIGNING_ALGORITHMS,
} from './server-capabilities.ts';

/** Signature algorithms. `none` and HMACs are absent, so that a public key never serves as the secret of a MAC. */
export type SignatureAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

/** Algorithms of XML signatures, by their JOSE names. */
export type XmlSigningAlgorithm = (typeof XML_SIGNING_ALGORITHMS)[number];

/** RFC 7518 §3.2. */
export type MacAlgorithm = (typeof HMAC_ALGORITHMS)[number];

/** RFC 7518 §4.1, without `RSA1_5`, `dir` and passwords. */
export type KeyManagementAlgorithm = (typeof KEY_MANAGEMENT_ALGORITHMS)[number];

/** RFC 7518 §5.1. */
export type ContentEncryptionAlgorithm = (typeof CONTENT_ENCRYPTION_ALGORITHMS)[number];

interface KeyForm {
  readonly kty: readonly string[];
  readonly crv?: readonly string[];
}

const RSA: KeyForm = { kty: ['RSA'] };

/** RFC 7518 §4.6 and RFC 8037 §3.2. */
const AGREEMENT: KeyForm = { kty: ['EC', 'OKP'], crv: ['P-256', 'P-384', 'P-521', 'X25519'] };

/** The kind of key that a signature needs (RFC 7518 §3.1, RFC 8037 §3.1), and the kinds that an encryption accepts (RFC 7518 §4.1). */
const KEY_FORMS: Readonly<Record<SignatureAlgorithm | KeyManagementAlgorithm, KeyForm>> = {
  RS256: RSA,
  RS384: RSA,
  RS512: RSA,
  PS256: RSA,
  PS384: RSA,
  PS512: RSA,
  ES256: { kty: ['EC'], crv: ['P-256'] },
  ES384: { kty: ['EC'], crv: ['P-384'] },
  ES512: { kty: ['EC'], crv: ['P-521'] },
  EdDSA: { kty: ['OKP'], crv: ['Ed25519'] },
  'RSA-OAEP': RSA,
  'RSA-OAEP-256': RSA,
  'ECDH-ES': AGREEMENT,
  'ECDH-ES+A128KW': AGREEMENT,
  'ECDH-ES+A256KW': AGREEMENT,
};

/** The operation of a key (RFC 7517 §4.3), and the matching `use` (§4.2). */
export type KeyOperation = 'sign' | 'verify' | 'encrypt' | 'decrypt';

const USES: Readonly<Record<KeyOperation, string>> = {
  sign: 'sig',
  verify: 'sig',
  encrypt: 'enc',
  decrypt: 'enc',
};

/** RFC 7517 §4.3: content encryption is done with a key that was wrapped or agreed on. */
const OPERATIONS: Readonly<Record<KeyOperation, readonly string[]>> = {
  sign: ['sign'],
  verify: ['verify'],
  encrypt: ['encrypt', 'wrapKey', 'deriveKey', 'deriveBits'],
  decrypt: ['decrypt', 'unwrapKey', 'deriveKey', 'deriveBits'],
};

/** Returns whether the key's kind, `use`, `key_ops` and `alg`, if present, permit the operation. */
export function suits(
  key: JsonWebKey,
  algorithm: SignatureAlgorithm | KeyManagementAlgorithm,
  operation: KeyOperation,
): boolean {
  const form = KEY_FORMS[algorithm];
  const { kty, crv, use, key_ops, alg } = key;
  if (!form.kty.some((one) => one === kty)) return false;
  if (form.crv?.some((one) => one === crv) === false) return false;
  if (use !== undefined && use !== USES[operation]) return false;
  if (key_ops !== undefined && !allows(key_ops, operation)) return false;
  return alg === undefined || sameAlgorithm(alg, algorithm);
}

function allows(key_ops: unknown, operation: KeyOperation): boolean {
  return Array.isArray(key_ops) && OPERATIONS[operation].some((name) => key_ops.includes(name));
}

/** RFC 9864 §2.2 gives EdDSA with this curve a new name. */
const sameAlgorithm = (keyAlgorithm: unknown, algorithm: string): boolean =>
  keyAlgorithm === algorithm || (algorithm === 'EdDSA' && keyAlgorithm === 'Ed25519');
