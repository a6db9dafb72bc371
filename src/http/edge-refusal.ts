import type { EndpointResponse } from '../endpoints/contract.ts';

/** Statuses that come from the edge, before any endpoint (decision 39), with the words for the client. */
const DESCRIPTIONS = {
  400: 'The request is malformed.',
  404: undefined,
  405: 'This method is not supported here.',
  408: 'The request did not arrive in time.',
  413: 'The request body is too large.',
  417: 'This expectation cannot be met.',
  431: 'The request header is too large.',
} as const;

export type EdgeStatus = keyof typeof DESCRIPTIONS;

/**
 * `error_description` replaces the usual words; it holds ASCII without `"` and `\` (RFC 6749 §5.2). Nothing is stored: a
 * cache that kept a 404 for one tenant would give it to the others (RFC 9110 §15.5.5: "heuristically cacheable").
 */
export function edgeRefusal(
  status: EdgeStatus,
  error_description: string | undefined = DESCRIPTIONS[status],
  headers: Readonly<Record<string, string>> = {},
): EndpointResponse {
  const uncached = { 'cache-control': 'no-store', ...headers };
  if (error_description === undefined) return { status, headers: uncached };
  return {
    status,
    headers: { 'content-type': 'application/json', ...uncached },
    body: JSON.stringify({ error: 'invalid_request', error_description }),
  };
}
