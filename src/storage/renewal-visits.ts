/** Due clients that one claim of renewals visits before its end, from `from` to before `end`. */
export interface RenewalVisit {
  readonly end: number;
  /** Where the next claim begins; undefined if this one reaches `now`. */
  readonly next: number | undefined;
}

/** @param beyond when the first client is due that need not be visited any more; undefined if there is none */
export function visitOf(from: number, now: number, beyond: number | undefined): RenewalVisit {
  if (beyond === undefined) return { end: now + 1, next: undefined };
  // Clients that are due at the same second are visited together, so that each visit gets further.
  const end = Math.max(beyond, from + 1);
  return { end, next: end };
}
