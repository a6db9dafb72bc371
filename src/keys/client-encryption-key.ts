import { type KeyManagementAlgorithm, suits } from '../spec/jose-algorithms.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * The key of a client's set to encrypt with: one that says it is for encryption before one that is for everything, one
 * that names the algorithm before one that names none (RFC 7517 §4.2, §4.4), and of equals the first, where an owner
 * puts the newest.
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
