import type { ClientId, ClientInstance, Digest, SessionId } from '../spec/identifiers.ts';
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

/** The first use of a code stores this. */
export interface Redemption {
  /** Its client is that of the code. */
  readonly grant: StoredGrant;
  readonly token: StoredAccessToken;
  /** The session that the end-user gave the code in. The grant may outlive it, but not begin after it. Absent: none. */
  readonly sid?: SessionId;
  /** Recorded in the same transaction if the code was used before, and its grant ends. */
  readonly onReuse?: AuditEvent | undefined;
}

/**
 * `used`: the code was redeemed before, and its grant is now ended (RFC 6749 §4.1.2: "the authorization server … SHOULD revoke
 * (when possible) all tokens previously issued based on that authorization code"). `signed-out`: the session has ended, and
 * the code stays unused. `absent`: the code is unknown, or its client was deleted.
 */
export type RedeemOutcome = 'redeemed' | 'used' | 'signed-out' | 'absent';

export interface AuthorizationCodeStore {
  issue(code: StoredAuthorizationCode): Promise<void>;
  /** Returns a code until it is swept, even if it was redeemed or has expired. Returns undefined if its client was deleted. */
  find(key: Digest): Promise<StoredAuthorizationCode | undefined>;
  /**
   * Stores the grant and token of a code on its first use. Among concurrent callers, in any process, exactly one gets
   * `redeemed`; every other caller ends that grant. A session that ends at the same moment ends its grants too, or the
   * result is `signed-out`.
   */
  redeem(key: Digest, redemption: Redemption): Promise<RedeemOutcome>;
  /** Deletes at most `limit` codes whose `kept_until` is before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
