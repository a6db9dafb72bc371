import { createPrivateKey, generateKeyPair as generateKeyPairCallback, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';
import type { JsonWebKey } from '../spec/jwk.ts';

/**
 * Returns a function that imports each private JWK once and keeps the result by object. Two tenants may use one `kid` for
 * two keys, so it is no key for a cache. The weak map drops a key together with the set that it was in.
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

const generateKeyPair = promisify(generateKeyPairCallback);

async function privateKey(kind: KeyKind): Promise<KeyObject> {
  switch (kind) {
    case 'RSA-2048':
    case 'RSA-3072':
    case 'RSA-4096':
      return await rsaKey(Number(kind.slice('RSA-'.length)));
    case 'X25519':
      return (await generateKeyPair('x25519')).privateKey;
    case 'Ed25519':
      return (await generateKeyPair('ed25519')).privateKey;
    default:
      return (await generateKeyPair('ec', { namedCurve: kind })).privateKey;
  }
}

async function rsaKey(modulusLength: number): Promise<KeyObject> {
  return (await generateKeyPair('rsa', { modulusLength, publicExponent: 65_537 })).privateKey;
}

export const keyMaker: KeyMaker = {
  async makePrivateKey(kind) {
    return { ...(await exportJWK(await privateKey(kind))) };
  },
  async thumbprint(jwk) {
    return await calculateJwkThumbprint(jwk, 'sha256');
  },
};
