export interface Clock {
  /** Whole seconds since the Unix epoch (RFC 7519 §2, NumericDate). */
  now(): number;
  /** Milliseconds since the Unix epoch, for identifiers that sort by time. */
  milliseconds(): number;
}
