/** What monitoring systems read from the management listener. */
export interface Metrics {
  readonly contentType: string;
  text(): Promise<string>;
  /** One answered request; called for each, so it is cheap. */
  observeRequest(endpoint: string, status: number, seconds: number): void;
  /** A server key that this process announced, activated, removed or revoked. */
  countServerKeyEvent(event: string): void;
  /** An attempt to tell a client that a session has ended (OpenID Connect Back-Channel Logout 1.0 §2.5), by how it went. */
  countLogoutAttempt(outcome: string): void;
}
