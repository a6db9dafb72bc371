import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The key for identifiers issued under an alias, so that under any other name of the issuer they are forgeries. No
 * identifier has a space in it: what is authenticated here is never one.
 */
export function macForAlias(mac: KeyObject, alias: string): KeyObject {
  return createSecretKey(createHmac('sha256', mac).update(`alias ${alias}`).digest());
}
