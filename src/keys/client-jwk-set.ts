import type { JsonWebKey } from '../spec/jwk.ts';

/** RFC 7517 §4.5: "When "kid" values are used within a JWK Set, different keys … SHOULD use distinct "kid" values." */
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
