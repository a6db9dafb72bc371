export interface Clock {
  /** Returns whole seconds since the Unix epoch (RFC 7519 §2, NumericDate). */
  now(): number;
  /** Returns milliseconds since the Unix epoch, for identifiers that sort by time. */
  milliseconds(): number;
}
