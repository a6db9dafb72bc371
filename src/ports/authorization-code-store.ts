import type { ClientId, ClientInstance, Digest } from '../spec/identifiers.ts';
import type { StoredAccessToken } from './access-token-store.ts';
import type { AuditEvent } from './audit-log.ts';
import type { StoredGrant } from './grant-store.ts';

/** An authorisation code (RFC 6749 §4.1.2), stored by its digest. All times are seconds since the Unix epoch. */
export interface StoredAuthorizationCode {
  readonly key: Digest;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  /** The authorisation as JSON text. Storage does not read it. */
  readonly content: string;
  readonly expires_at: number;
  /** The time from which it may be swept. Until then the server detects a second use. */
  readonly kept_until: number;
}

/**
 * `used`: the code was redeemed before, and its grant is now ended (RFC 6749 §4.1.2: "the authorization server … SHOULD revoke
 * (when possible) all tokens previously issued based on that authorization code"). `absent`: the code is unknown, its
 * client was deleted, or the session that the grant belongs to has ended.
 */
export type RedeemOutcome = 'redeemed' | 'used' | 'absent';

export interface AuthorizationCodeStore {
  issue(code: StoredAuthorizationCode): Promise<void>;
  /** Returns a code until it is swept, even if it was redeemed or has expired. Returns undefined if its client was deleted. */
  find(key: Digest): Promise<StoredAuthorizationCode | undefined>;
  /**
   * Stores the grant and token of a code on its first use. Among concurrent callers, in any process, exactly one gets
   * `redeemed`; every other caller ends that grant. Records `onReuse` in the same transaction if it ends a grant.
   */
  redeem(
    key: Digest,
    grant: StoredGrant,
    token: StoredAccessToken,
    onReuse?: AuditEvent,
  ): Promise<RedeemOutcome>;
  /** Deletes at most `limit` codes whose `kept_until` is before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
