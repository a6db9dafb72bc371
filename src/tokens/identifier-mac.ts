import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Characters of base64url: 132 bits. */
const MAC_LENGTH = 22;

/** What a MAC is computed for: that of one kind of token is none for another. */
export type Authenticated = 'access_token' | 'refresh_token';

/** Of access tokens the MAC is over the identifier itself, as it was before there was another kind. */
const PREFIXES: Readonly<Record<Authenticated, string>> = {
  access_token: '',
  refresh_token: 'refresh_token.',
};

/** `IDENTIFIER.MAC`: a forged one is recognised without a look-up (decision 20). */
export function authenticated(kind: Authenticated, identifier: string, mac: KeyObject): string {
  return `${identifier}.${macOf(kind, identifier, mac)}`;
}

/** Whether a text has the form that `authenticated` gives to identifiers of this length. */
export function hasForm(presented: string, identifierLength: number): boolean {
  return presented.length === identifierLength + 1 + MAC_LENGTH && presented[identifierLength] === '.';
}

/** Whether the MAC of a text of that form is ours. */
export function isGenuine(
  kind: Authenticated,
  presented: string,
  identifierLength: number,
  mac: KeyObject,
): boolean {
  const expected = macOf(kind, presented.slice(0, identifierLength), mac);
  const given = Buffer.from(presented.slice(identifierLength + 1), 'latin1');
  return given.length === expected.length && timingSafeEqual(given, Buffer.from(expected, 'latin1'));
}

function macOf(kind: Authenticated, identifier: string, mac: KeyObject): string {
  const text = PREFIXES[kind] + identifier;
  return createHmac('sha256', mac).update(text, 'latin1').digest('base64url').slice(0, MAC_LENGTH);
}
