import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../spec/identifiers.ts';

/** SHA-256 of a secret that is random enough not to be guessed (256 bits); slow hashes are for human passwords. */
export function digestOf(secret: string): Digest {
  return hash('sha256', secret, 'base64url') as Digest;
}

/** Compares in a time that tells nothing of where two digests differ. */
export function sameDigest(one: Digest, other: Digest): boolean {
  const [left, right] = [Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1')];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** A configured SHA-256 digest (64 hexadecimal digits) in the form that `digestOf` gives. */
export function digestFromHex(hex: string): Digest {
  return Buffer.from(hex, 'hex').toString('base64url') as Digest;
}

/**
 * The key for identifiers issued under an alias, so that under any other name of the issuer they are forgeries. No
 * identifier has a space in it: what is authenticated here is never one.
 */
export function macForAlias(mac: KeyObject, alias: string): KeyObject {
  return createSecretKey(createHmac('sha256', mac).update(`alias ${alias}`).digest());
}
