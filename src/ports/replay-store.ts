/** What may be used once. Part of the key: the same value of another kind is another thing. */
export type ReplayKind =
  | 'client-assertion'
  | 'jwt-grant'
  | 'saml-grant'
  | 'entity-statement'
  | 'request-object';

export interface ReplayStore {
  /**
   * Whether this value of this owner was not there yet; remembered durably from then on, at least until `expires_at`
   * (seconds since the Unix epoch). Of any number of callers at once, in whatever process, exactly one gets true.
   * @param value of bounded length: a digest, where somebody else chooses the text
   */
  rememberOnce(kind: ReplayKind, owner: string, value: string, expires_at: number): Promise<boolean>;
  /** Removes at most `limit` values that expired before `now`; answers how many it removed. */
  sweepExpired(now: number, limit: number): Promise<number>;
}
