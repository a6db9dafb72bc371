import { percentDecode } from './percent-encoding.ts';

/** Types for strings that must not be confused. At run time they are plain strings. */
declare const kind: unique symbol;
type Branded<Kind extends string> = string & { readonly [kind]: Kind };

export type TenantId = Branded<'TenantId'>;
export type ClientId = Branded<'ClientId'>;
/** A registration of a client id. A deleted id that is registered again gets another instance. */
export type ClientInstance = Branded<'ClientInstance'>;
/** The key of an access token's record: a time-ordered locator followed by the token's digest. */
export type AccessTokenKey = Branded<'AccessTokenKey'>;
/** The identifier of a grant: a time-ordered locator followed by random characters. */
export type GrantId = Branded<'GrantId'>;
/** SHA-256, base64url without padding (43 characters). */
export type Digest = Branded<'Digest'>;
/** Ciphertext of a secret, bound to the place of its record. */
export type Sealed = Branded<'Sealed'>;
/** An end-user at this issuer (OpenID Connect Core 1.0 §2, `sub`). Never reassigned. */
export type Subject = Branded<'Subject'>;
/** The public identifier of an end-user's session (OpenID Connect Back-Channel Logout 1.0 §2.1, `sid`). It grants no access. */
export type SessionId = Branded<'SessionId'>;
/** An account's name in its canonical form for comparison (RFC 8265 §3.3). */
export type LoginName = Branded<'LoginName'>;
/** A webhook of the operator. */
export type WebhookId = Branded<'WebhookId'>;
/** A stream of security events to a client. */
export type StreamId = Branded<'StreamId'>;
/** RFC 7638 thumbprint. */
export type KeyId = Branded<'KeyId'>;

/** The identifier of the console's client, which the server itself provides. No registration can choose it. */
export const CONSOLE_CLIENT_ID = 'chancery-console' as ClientId;

export const DEFAULT_TENANT = 'default' as TenantId;

/** Lengths in characters of [A-Za-z0-9], 5.95 bits each. 43 characters hold 256 bits. */
export const IDENTIFIER_LENGTHS = {
  client_id: 24,
  client_secret: 43,
  registration_access_token: 43,
  access_token: 43,
  refresh_token: 43,
  authorization_code: 43,
  instance: 16,
  sub: 24,
  /** Also for the other cookies and handles of an end-user's browser. */
  session: 43,
  sid: 24,
  webhook: 16,
  stream: 24,
} as const;

/** The maximum length of a client identifier (decision 15; `preferred_client_id`, federation entity ids). */
const CLIENT_ID_LENGTH_MAX = 512;

/** Returns `{id}` of `/clients/{id}`, decoded exactly once (decision 2). @returns undefined for a bad escape */
export function clientIdFromSegment(segment: string): ClientId | undefined {
  if (segment.length > CLIENT_ID_LENGTH_MAX * 3) return undefined;
  const decoded = percentDecode(segment);
  return decoded !== undefined && decoded.length <= CLIENT_ID_LENGTH_MAX ? (decoded as ClientId) : undefined;
}
