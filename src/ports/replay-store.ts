/** The kinds of values that may be used once. Values of different kinds are independent. */
export type ReplayKind =
  | 'client-assertion'
  | 'jwt-grant'
  | 'saml-grant'
  | 'entity-statement'
  | 'request-object'
  | 'dpop-proof'
  | 'idempotency-key';

export interface ReplayStore {
  /**
   * Remembers a value of an owner durably, at least until `expires_at` (seconds since the Unix epoch), and returns whether
   * it is new. Among concurrent callers, in any process, exactly one gets true.
   * @param value of bounded length: a digest if a stranger chooses the text
   */
  rememberOnce(kind: ReplayKind, owner: string, value: string, expires_at: number): Promise<boolean>;
  /** Deletes at most `limit` values that expired before `now` and returns their number. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
