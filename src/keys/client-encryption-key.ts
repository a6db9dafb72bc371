import type { JsonWebKey } from '../spec/jwk.ts';

/** RFC 7517 §4.3: what a public key for encryption may be for, by its kind. */
const OPERATIONS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['encrypt', 'wrapKey'],
  agreement: ['deriveKey', 'deriveBits'],
};

/** RFC 7518 §4.6 with the curves of RFC 8037 §3.2: the others of these key types only sign. */
const AGREEMENT_CURVES: ReadonlySet<unknown> = new Set(['P-256', 'P-384', 'P-521', 'X25519']);

/**
 * Whether something can be encrypted to this key with the algorithm. A key without `use` is for both (RFC 7517 §4.2);
 * one with `alg` is for that algorithm (§4.4).
 */
export function canReceive(key: unknown, algorithm: string): boolean {
  const { kty, crv, use, alg, key_ops } = key as JsonWebKey;
  const isRsa = algorithm.startsWith('RSA');
  const fits = isRsa ? kty === 'RSA' : (kty === 'EC' || kty === 'OKP') && AGREEMENT_CURVES.has(crv);
  if (!fits || use === 'sig' || (alg !== undefined && alg !== algorithm)) return false;
  const operations: readonly unknown[] | undefined = Array.isArray(key_ops) ? key_ops : undefined;
  return (
    operations === undefined ||
    (OPERATIONS[isRsa ? 'RSA' : 'agreement'] ?? []).some((one) => operations.includes(one))
  );
}

/**
 * The key of a client's set to encrypt with: one that says it is for encryption before one that is for everything, one
 * that names the algorithm before one that names none, and of equals the first, where an owner puts the newest.
 */
export function encryptionKey(keys: readonly JsonWebKey[], algorithm: string): JsonWebKey | undefined {
  const fitting = keys.filter((key) => canReceive(key, algorithm));
  const said = ({ use, alg }: JsonWebKey): number => (use === 'enc' ? 2 : 0) + (alg === undefined ? 0 : 1);
  const most = Math.max(...fitting.map(said));
  return fitting.find((key) => said(key) === most);
}
