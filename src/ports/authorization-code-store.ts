import type { Awaitable } from '../spec/awaitable.ts';
import type { ClientId, ClientInstance, Digest } from '../spec/identifiers.ts';
import type { StoredAccessToken } from './access-token-store.ts';
import type { AuditEvent } from './audit-log.ts';
import type { StoredGrant } from './grant-store.ts';

/** An authorisation code (RFC 6749 §4.1.2) by its digest. All times in seconds since the Unix epoch. */
export interface StoredAuthorizationCode {
  readonly key: Digest;
  readonly client_id: ClientId;
  readonly client_instance: ClientInstance;
  /** JSON text of what was authorised; the storage floor does not read it. */
  readonly content: string;
  readonly expires_at: number;
  /** From when on it may be swept: a second use is noticed until then. */
  readonly kept_until: number;
}

/**
 * `used`: it was redeemed before, and the grant that it gave is ended (RFC 6749 §4.1.2: "the authorization server … SHOULD revoke
 * (when possible) all tokens previously issued based on that authorization code"). `absent`: there is none, its
 * client is gone, or the session is that the grant would end with.
 */
export type RedeemOutcome = 'redeemed' | 'used' | 'absent';

export interface AuthorizationCodeStore {
  issue(code: StoredAuthorizationCode): Promise<void>;
  /** Also one that was redeemed or has expired, until it is swept; undefined when its client is gone. */
  find(key: Digest): Awaitable<StoredAuthorizationCode | undefined>;
  /**
   * Stores what the code gives, if this is its first use. Of any number of callers at once, in whatever process, exactly one gets
   * `redeemed`; every other one ends what that one got. `onReuse` is recorded in the same transaction if there was anything to end.
   */
  redeem(
    key: Digest,
    grant: StoredGrant,
    token: StoredAccessToken,
    onReuse?: AuditEvent,
  ): Promise<RedeemOutcome>;
  /** Removes at most `limit` codes that need not be kept any more at `now`; answers how many it removed. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
