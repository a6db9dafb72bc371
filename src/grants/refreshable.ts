import { type PersonEventNeeds, personEvent, type RequestOrigin } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { StoredRefreshToken } from '../ports/grant-store.ts';
import type { ClientMetadata } from '../spec/client-metadata.ts';
import type { Confirmation } from '../tokens/confirmation.ts';
import type { TokenContent } from './issue-token.ts';

/** The authorisation that a grant stores as JSON text. */
export interface GrantAuthorization extends Omit<TokenContent, 'sub'> {
  /** Lifetimes of its refresh tokens; null: the grant has none. */
  readonly refreshable: Refreshable | null;
  /** The keys that refresh tokens of a public client are bound to; absent: none. */
  readonly confirmation?: Confirmation;
}

export interface Refreshable {
  /** Seconds since the Unix epoch; use does not extend it; null: never. */
  readonly ends_at: number | null;
  /** Seconds without use after which a refresh token expires; null: no limit. */
  readonly max_idle: number | null;
  /** Whether each use rotates the refresh token; null: the server's settings decide. */
  readonly rotate: boolean | null;
}

/** A request's choices for its refresh tokens; the settings supply absent ones. Durations are in seconds; 0: no limit. */
export interface RefreshWishes {
  readonly lifetime?: number | undefined;
  readonly maxIdle?: number | undefined;
  readonly rotate?: boolean | undefined;
}

/** Returns the lifetimes of refresh tokens that begin now, from the request and the settings. */
export function refreshableFrom(settings: Settings, wishes: RefreshWishes, now: number): Refreshable {
  const lifetime = wishes.lifetime ?? settings['refresh-token.lifetime'];
  const maxIdle = wishes.maxIdle ?? settings['refresh-token.max-idle'];
  return {
    ends_at: lifetime === 0 ? null : now + lifetime,
    max_idle: maxIdle === 0 ? null : maxIdle,
    rotate: wishes.rotate ?? null,
  };
}

/** Says whether a client may have refresh tokens: it registered for them, and the settings allow them (RFC 6749 §6). */
export function mayRefresh(settings: Settings, { grant_types }: ClientMetadata): boolean {
  return (
    grant_types.includes('refresh_token') && settings['authorization.grant-types'].includes('refresh_token')
  );
}

/** Returns the lifetimes for a client's grant; null if the client may have no refresh tokens. */
export function refreshableFor(
  settings: Settings,
  metadata: ClientMetadata,
  now: number,
): Refreshable | null {
  return mayRefresh(settings, metadata) ? refreshableFrom(settings, {}, now) : null;
}

/** Returns when a refresh token that is issued or used now expires; null: never. */
export function expiryOf({ ends_at, max_idle }: Refreshable, now: number): number | null {
  if (max_idle === null) return ends_at;
  return ends_at === null ? now + max_idle : Math.min(ends_at, now + max_idle);
}

/**
 * Says whether a use rotates the refresh token. RFC 9700 §2.2.2: "Refresh tokens for public clients MUST be sender-constrained
 * or use refresh token rotation".
 */
export function isRotated(settings: Settings, metadata: ClientMetadata, { rotate }: Refreshable): boolean {
  return metadata.token_endpoint_auth_method === 'none' || (rotate ?? settings['refresh-token.rotate']);
}

/** Returns when the last token of a grant expires: its refresh token or its longest-lived access token; null: never. */
export function endOfGrant(
  refresh_token: StoredRefreshToken | null,
  accessTokenExpiry: number,
): number | null {
  if (refresh_token === null) return accessTokenExpiry;
  return refresh_token.expires_at === null ? null : Math.max(refresh_token.expires_at, accessTokenExpiry);
}

/** Returns the member `refresh_token_expires_in` of the token response, in seconds; no member if the token does not expire. */
export function refreshTokenExpiresIn(
  expires_at: number | null,
  now: number,
): { readonly refresh_token_expires_in?: number } {
  return expires_at === null ? {} : { refresh_token_expires_in: expires_at - now };
}

/** Returns the audit event of a grant that ends because a code or a rotated refresh token was used again. */
export function reuseEvent(
  needs: PersonEventNeeds,
  used: 'authorization code' | 'refresh token',
  client_id: string,
  sub: string,
  origin: RequestOrigin,
): AuditEvent {
  const about = { sub, client_id, actor: `client:${client_id}`, detail: `${used} used again` };
  return personEvent(needs, 'grant.end', about, origin);
}
