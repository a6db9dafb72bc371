import type { StoredRefreshToken } from '../ports/grant-store.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import type { Confirmation } from '../tokens/confirmation.ts';
import type { TokenSettings } from './grant.ts';
import type { TokenContent } from './issue-token.ts';

/** What a grant keeps of what was authorised, as JSON text. */
export interface GrantAuthorization extends Omit<TokenContent, 'sub'> {
  /** How its refresh tokens live; null where it has none. */
  readonly refreshable: Refreshable | null;
  /** The certificate that refresh tokens of a public client are bound to; absent: none. */
  readonly confirmation?: Confirmation;
}

export interface Refreshable {
  /** Seconds since the Unix epoch, whatever is used meanwhile; null = never. */
  readonly ends_at: number | null;
  /** Seconds that a refresh token may lie unused; null = any number. */
  readonly max_idle: number | null;
  /** Whether each use makes a new one; null: as the server's settings say. */
  readonly rotate: boolean | null;
}

/** What a request says of its refresh tokens; whatever it leaves out, the settings say. Durations are in seconds; 0: none. */
export interface RefreshWishes {
  readonly lifetime?: number | undefined;
  readonly maxIdle?: number | undefined;
  readonly rotate?: boolean | undefined;
}

export function refreshableFrom(settings: TokenSettings, wishes: RefreshWishes, now: number): Refreshable {
  const lifetime = wishes.lifetime ?? settings['refresh-token.lifetime'];
  const maxIdle = wishes.maxIdle ?? settings['refresh-token.max-idle'];
  return {
    ends_at: lifetime === 0 ? null : now + lifetime,
    max_idle: maxIdle === 0 ? null : maxIdle,
    rotate: wishes.rotate ?? null,
  };
}

/** How a grant of a client lives: refreshable where it is registered for that (RFC 6749 §6), as the settings say. */
export function refreshableFor(
  settings: TokenSettings,
  { grant_types }: ClientMetadata,
  now: number,
): Refreshable | null {
  return grant_types.includes('refresh_token') ? refreshableFrom(settings, {}, now) : null;
}

/** When a refresh token that is issued or used now expires. */
export function expiryOf({ ends_at, max_idle }: Refreshable, now: number): number | null {
  if (max_idle === null) return ends_at;
  return ends_at === null ? now + max_idle : Math.min(ends_at, now + max_idle);
}

/** RFC 9700 §2.2.2: "Refresh tokens for public clients MUST be sender-constrained or use refresh token rotation". */
export function isRotated(
  settings: TokenSettings,
  metadata: ClientMetadata,
  { rotate }: Refreshable,
): boolean {
  return metadata.token_endpoint_auth_method === 'none' || (rotate ?? settings['refresh-token.rotate']);
}

/** When nothing of a grant is good any more: neither its refresh token nor the access token that lives longest. */
export function endOfGrant(
  refresh_token: StoredRefreshToken | null,
  accessTokenExpiry: number,
): number | null {
  if (refresh_token === null) return accessTokenExpiry;
  return refresh_token.expires_at === null ? null : Math.max(refresh_token.expires_at, accessTokenExpiry);
}

/** The member of the token response; nothing where the refresh token does not expire. */
export function refreshTokenExpiresIn(
  expires_at: number | null,
  now: number,
): { readonly refresh_token_expires_in?: number } {
  return expires_at === null ? {} : { refresh_token_expires_in: expires_at - now };
}
