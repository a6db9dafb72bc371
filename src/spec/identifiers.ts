/** Strings that must not be mixed up carry their kind in their type; at run time they are plain strings. */
declare const kind: unique symbol;
type Branded<Kind extends string> = string & { readonly [kind]: Kind };

export type TenantId = Branded<'TenantId'>;
export type ClientId = Branded<'ClientId'>;
/** A registration of a client id. A deleted id that is registered again gets another instance. */
export type ClientInstance = Branded<'ClientInstance'>;
/** Where an access token's record stands: a time-ordered locator followed by the token's digest. */
export type AccessTokenKey = Branded<'AccessTokenKey'>;
/** SHA-256, base64url without padding (43 characters). */
export type Digest = Branded<'Digest'>;
/** Ciphertext of a secret, bound to the place it is stored in. */
export type Sealed = Branded<'Sealed'>;
/** RFC 7638 thumbprint. */
export type KeyId = Branded<'KeyId'>;

export const DEFAULT_TENANT = 'default' as TenantId;

/** Lengths in characters of [A-Za-z0-9], 5.95 bits each. 43 characters hold 256 bits. */
export const IDENTIFIER_LENGTHS = {
  client_id: 24,
  client_secret: 43,
  registration_access_token: 43,
  access_token: 43,
  instance: 16,
} as const;
