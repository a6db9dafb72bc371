import { digestOf } from '../keys/digest.ts';
import type { StoredAuthorizationCode } from '../ports/authorization-code-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import { type Digest, IDENTIFIER_LENGTHS } from '../spec/identifiers.ts';

export interface MintedCode {
  readonly code: string;
  readonly stored: StoredAuthorizationCode;
}

/** Seconds after expiry in which a second use is still detected (RFC 6749 §4.1.2). */
const NOTICED_AFTER = 3600;

/**
 * Makes an authorisation code and its record; stores nothing.
 * @param lifetime seconds. RFC 6749 §4.1.2: "A maximum authorization code lifetime of 10 minutes is
 * RECOMMENDED."
 */
export function mintAuthorizationCode(
  { clock, random }: { readonly clock: Clock; readonly random: Random },
  content: Pick<StoredAuthorizationCode, 'client_id' | 'client_instance' | 'content'>,
  lifetime: number,
): MintedCode {
  const code = random.alphanumeric(IDENTIFIER_LENGTHS.authorization_code);
  const expires_at = clock.now() + lifetime;
  const kept_until = expires_at + NOTICED_AFTER;
  return { code, stored: { ...content, key: digestOf(code), expires_at, kept_until } };
}

const FORM = new RegExp(`^[A-Za-z0-9]{${IDENTIFIER_LENGTHS.authorization_code}}$`, 'u');

/**
 * Returns the key of the record of a code, without a look-up; undefined for a text that no code of this
 * server can be.
 */
export function authorizationCodeKey(presented: string): Digest | undefined {
  return FORM.test(presented) ? digestOf(presented) : undefined;
}
