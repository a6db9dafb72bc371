import assert from 'node:assert/strict';
import type { FetchCause, Fetched, OutboundHttp } from '../ports/outbound-http.ts';
import { type Answer, assertUncached } from './exchange.ts';

/** The failure of a fetch that found no slot. */
export const NO_SLOT: Fetched = {
  status: 'failed',
  reason: 'busy',
  detail: 'no slot for client.example',
  retryAfter: 7,
};

/** Fetches nothing, because it is busy, and records what would have caused a fetch. */
export function busyOutbound(): { readonly outbound: Partial<OutboundHttp>; readonly causes: FetchCause[] } {
  const causes: FetchCause[] = [];
  const get: OutboundHttp['get'] = async (_url, _expectation, cause) => {
    causes.push(cause);
    return await Promise.resolve(NO_SLOT);
  };
  return { outbound: { get }, causes };
}

/** Decision 50: the server says that it is busy, and blames nothing on the caller. */
export function assertBusy(answer: Answer): void {
  assert.equal(answer.status, 503, answer.body);
  assert.equal(answer.json['error'], 'temporarily_unavailable');
  assert.equal(answer.headers['retry-after'], '7');
  assert.equal(answer.headers['www-authenticate'], undefined);
  assertUncached(answer);
  assert.doesNotMatch(answer.body, /slot|client\.example/, 'the detail is for the log');
}
