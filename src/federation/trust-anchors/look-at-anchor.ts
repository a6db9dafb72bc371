import type { Reason } from '../reason.ts';
import { loadConfiguration } from '../trust-chain/climb.ts';
import { climbNeeds, type TrustNeeds } from '../trust-chain/resolve-trust.ts';
import { Snapshot } from '../trust-chain/snapshot.ts';

/**
 * Fetches the configuration of a trust anchor now, so that its keys are observed although no relying party leads to it.
 * @returns whether a trusted key signed it, or why there is none
 */
export async function lookAtAnchor(
  needs: TrustNeeds,
  entity_id: string,
): Promise<'trusted' | 'untrusted' | Reason> {
  const { source, clock, limits, anchorKeys } = needs;
  const requester = { remoteAddress: undefined, subject: entity_id, purpose: 'statements' } as const;
  const snapshot = new Snapshot({ source, clock, budget: limits.budget, requester });
  const climb = climbNeeds({ ...needs, snapshot, now: clock.now() });
  const { statement, trace } = await loadConfiguration(climb, entity_id);
  if (statement === undefined)
    return trace.reason ?? { code: 'chain_anchor', words: 'the configuration is not sound' };
  return (await anchorKeys.observe(statement)) ? 'trusted' : 'untrusted';
}
