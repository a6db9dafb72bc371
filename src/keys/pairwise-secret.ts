import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/**
 * The secret of pairwise subjects (OpenID Connect Core §8.1), derived from the key of the tenant that is never rotated:
 * with another secret every end-user would be somebody else to every client of them.
 */
export function pairwiseSecret(accessTokenMac: KeyObject): KeyObject {
  // RFC 5869 §2.3: an expansion by one block, of a key that is random already.
  return createSecretKey(createHmac('sha256', accessTokenMac).update('pairwise subjects\x01').digest());
}
