import { createHmac, createSecretKey, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { Digest } from '../spec/identifiers.ts';

/** Returns the SHA-256 of a random secret of 256 bits. Human passwords need a slow hash instead. */
export function digestOf(secret: string): Digest {
  return hash('sha256', secret, 'base64url') as Digest;
}

/** Compares two digests in constant time. */
export function sameDigest(one: Digest, other: Digest): boolean {
  const [left, right] = [Buffer.from(one, 'latin1'), Buffer.from(other, 'latin1')];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Converts a configured SHA-256 digest (64 hexadecimal digits) to the form of `digestOf`. */
export function digestFromHex(hex: string): Digest {
  return Buffer.from(hex, 'hex').toString('base64url') as Digest;
}

/**
 * Derives the MAC key for identifiers issued under an alias. Under any other name of the issuer these identifiers are
 * invalid. The input contains a space and an identifier never does, so it cannot be taken for one.
 */
export function macForAlias(mac: KeyObject, alias: string): KeyObject {
  return createSecretKey(createHmac('sha256', mac).update(`alias ${alias}`).digest());
}
