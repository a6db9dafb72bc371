import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * Private keys, imported once for each JWK object. Not by `kid`: two tenants may have given the same one to two keys, and
 * a weak map forgets a key together with the set it was in.
 */
export function privateKeys(): (jwk: JsonWebKey) => KeyObject {
  const imported = new WeakMap<JsonWebKey, KeyObject>();
  return (jwk) => {
    const known = imported.get(jwk);
    if (known !== undefined) return known;
    const key = createPrivateKey({ key: { ...jwk }, format: 'jwk' });
    imported.set(jwk, key);
    return key;
  };
}
