import { createHmac, timingSafeEqual } from 'node:crypto';
import type { MacAlgorithm } from '../spec/jose-algorithms.ts';
import type { Refused, UnverifiedJws } from './compact-jws.ts';

/** RFC 7518 §3.2. */
const HASHES: Readonly<Record<MacAlgorithm, { readonly name: string; readonly octets: number }>> = {
  HS256: { name: 'sha256', octets: 32 },
  HS384: { name: 'sha384', octets: 48 },
  HS512: { name: 'sha512', octets: 64 },
};

/** Which secret the MAC of `jws` was made with. Tries every one of them: the time tells nothing of which it was. */
export function matchingSecret(
  jws: UnverifiedJws,
  secrets: readonly Uint8Array[],
  algorithms: readonly MacAlgorithm[],
): { readonly secretIndex: number } | Refused {
  const algorithm = algorithms.find((allowed) => allowed === jws.header['alg']);
  if (algorithm === undefined) return { reason: 'algorithm' };
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
