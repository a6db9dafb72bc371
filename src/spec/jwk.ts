/** A JSON Web Key (RFC 7517 §4) of unknown content. */
export type JsonWebKey = { readonly [member: string]: unknown };

/** Members that name a public key: RFC 7518 §6.2.1 and §6.3.1, RFC 8037 §2. */
const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

/**
 * Returns the public key of a key pair. Copies an allow-list of members, so that no unexpected member leaks.
 * @returns undefined for a key type without a public half.
 */
export function publicJwk(jwk: JsonWebKey): JsonWebKey | undefined {
  const kty = jwk['kty'];
  const members = typeof kty === 'string' ? PUBLIC_MEMBERS[kty] : undefined;
  if (members === undefined) return undefined;
  return Object.fromEntries([['kty', kty], ...members.map((member) => [member, jwk[member]])]);
}
