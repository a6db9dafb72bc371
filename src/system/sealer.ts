import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject } from 'node:crypto';
import { SealBroken, type Sealer } from '../ports/sealer.ts';
import type { Sealed } from '../spec/identifiers.ts';
import { systemRandom } from './random.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/**
 * Encrypts secrets at rest with AES-256-GCM and a ring of keys: the first key seals, all keys open. A sealed text is
 * `KEYNAME.BASE64URL`. KEYNAME is the first eight hexadecimal digits of the key's SHA-256; the rest is nonce, ciphertext and
 * tag.
 * @throws TypeError if a key does not have 32 bytes
 */
export function sealerWith(keys: readonly Uint8Array[]): Sealer {
  const [first] = keys;
  if (first === undefined || keys.some((key) => key.length !== KEY_BYTES)) {
    throw new TypeError(`an encryption key has ${KEY_BYTES} bytes`);
  }
  const ring = new Map(keys.map((key) => [keyName(key), createSecretKey(key)]));
  const current = createSecretKey(first);
  const currentName = keyName(first);
  return {
    seal(plaintext, place) {
      const nonce = systemRandom.bytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', current, nonce).setAAD(Buffer.from(place));
      const sealed = Buffer.concat([
        nonce,
        cipher.update(plaintext, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ]);
      return `${currentName}.${sealed.toString('base64url')}` as Sealed;
    },
    open(sealed, place) {
      const [name = '', encoded = ''] = sealed.split('.');
      const key = ring.get(name);
      if (key === undefined) throw new SealBroken(`sealed with the key ${name}, which is not in the ring`);
      return openWith(key, Buffer.from(encoded, 'base64url'), place);
    },
    isCurrent: (sealed) => sealed.startsWith(`${currentName}.`),
  };
}

const TAG = { authTagLength: TAG_BYTES } as const;

/** A list of all clients opens two texts for each: half of its time is here. */
function openWith(key: KeyObject, sealed: Buffer, place: string): string {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), TAG)
      .setAAD(Buffer.from(place))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    const plaintext = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
    // GCM has no padding: the end only checks the tag.
    decipher.final();
    return plaintext.toString('utf8');
  } catch (cause) {
    throw new SealBroken('changed since it was sealed, or sealed for another place', { cause });
  }
}

/** Names a key of a ring: the first 32 bits of its digest, which do not reveal it. */
export function keyName(key: Uint8Array): string {
  return hash('sha256', key, 'hex').slice(0, 8);
}

/** Binds a sealer to one tenant: no other tenant can open its sealed texts. */
export function sealerForTenant(sealer: Sealer, tenant: string): Sealer {
  const beginning = `[${JSON.stringify(tenant)},`;
  const within = (place: string): string => `${beginning}${JSON.stringify(place)}]`;
  return {
    seal: (plaintext, place) => sealer.seal(plaintext, within(place)),
    open: (sealed, place) => sealer.open(sealed, within(place)),
    isCurrent: (sealed) => sealer.isCurrent(sealed),
  };
}
