import type { Posted } from '../ports/outbound-http.ts';

/** Returns why a receiver did not take a delivery; undefined if it did. */
export function problemOf(posted: Posted): string | undefined {
  if (posted.status === 'failed') return `${posted.reason}: ${posted.detail}`;
  return posted.code >= 200 && posted.code < 300 ? undefined : `status ${posted.code}`;
}
