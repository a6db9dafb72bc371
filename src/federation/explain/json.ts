import type { JsonValue } from '../../spec/json.ts';
import type { Resolution } from '../trust-chain/resolve-trust.ts';

/** Renders the search and its outcome as JSON. */
export function resolutionAsJson({ search, chain, reason, fetches }: Resolution): JsonValue {
  const outcome =
    chain === undefined
      ? null
      : {
          trust_anchor: chain.trust_anchor,
          immediate_superior: chain.immediate_superior,
          expires_at: chain.expires_at,
          statements: chain.statements.map(({ jwt }) => jwt.compact),
          metadata: Object.fromEntries(
            [...chain.metadata].map(([type, parameters]) => [type, Object.fromEntries(parameters)]),
          ),
        };
  // The round trip removes members that are undefined.
  return JSON.parse(JSON.stringify({ subject: search.entity_id, chain: outcome, reason, fetches, search }));
}
