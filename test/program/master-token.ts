import { hash, randomBytes } from 'node:crypto';
import { DEVELOPMENT_DIGEST_PREFIX } from '../../src/config/rules.ts';

/** Returns a token that production takes: one of 65,536 random ones looks as if the development mode had printed it. */
export function masterToken(): string {
  const token = randomBytes(32).toString('hex');
  return hash('sha256', token, 'hex').startsWith(DEVELOPMENT_DIGEST_PREFIX) ? masterToken() : token;
}
