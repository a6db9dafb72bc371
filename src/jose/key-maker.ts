import { generateKeyPair as generateKeyPairCallback, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { calculateJwkThumbprint, exportJWK } from 'jose';
import type { KeyKind, KeyMaker } from '../ports/key-maker.ts';

const generateKeyPair = promisify(generateKeyPairCallback);

async function privateKey(kind: KeyKind): Promise<KeyObject> {
  switch (kind) {
    case 'RSA-2048':
      return (await generateKeyPair('rsa', { modulusLength: 2048, publicExponent: 65_537 })).privateKey;
    case 'Ed25519':
      return (await generateKeyPair('ed25519')).privateKey;
    default:
      return (await generateKeyPair('ec', { namedCurve: kind })).privateKey;
  }
}

export const keyMaker: KeyMaker = {
  async makePrivateKey(kind) {
    return { ...(await exportJWK(await privateKey(kind))) };
  },
  async thumbprint(jwk) {
    return await calculateJwkThumbprint(jwk, 'sha256');
  },
};
