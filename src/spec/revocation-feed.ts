/** The `typ` of the JWTs of the revocation feed (RFC 8725 §3.11: a type of its own for each use). */
export const REVOCATION_FEED_TYPE = 'revocation-feed+jwt';

/** The name of the server-sent events whose data is such a JWT. */
export const REVOCATION_FEED_EVENT = 'revocations';

/**
 * A change that a resource server follows. It names no person, grant or session: a resource server knows tokens, and their ends
 * are told one by one.
 */
export type RevocationEvent =
  /** `ath` is the SHA-256 of the token in base64url, as in a DPoP proof (RFC 9449 §4.2). Rows of an older program lack `exp`. */
  | { readonly type: 'token-ended'; readonly ath: string; readonly exp?: number }
  /** The client was deleted, and all its tokens have ended. */
  | { readonly type: 'client-ended'; readonly client_id: string }
  | { readonly type: 'client-changed'; readonly client_id: string }
  /** The keys of the server changed. Everything that the key `revoked` has signed is invalid. */
  | { readonly type: 'keys-changed'; readonly revoked?: string };

/** The claims of one JWT of the feed. */
export interface RevocationClaims {
  readonly iss: string;
  /** Every change that was committed before this time is in this JWT or in one before it, unless `more` stands beside it. */
  readonly iat: number;
  /** The cursor of the JWT before. A reader that has another one has missed changes. */
  readonly after: string;
  readonly cursor: string;
  /** True: changes before `cursor` are lost to this reader. It forgets everything that it knows. */
  readonly reset?: true;
  /** True: changes after `cursor` were committed already. They follow in the next JWT. */
  readonly more?: true;
  /** In the order of their commits; empty in a heartbeat. */
  readonly events: readonly RevocationEvent[];
}

/** Why the server ends a stream of the feed. The reader comes again, with its cursor. */
export type FeedEnd = 'server-stops' | 'caller-changed' | 'slow-reader' | 'tenant-changed' | 'unavailable';
