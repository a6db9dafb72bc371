import { type AppliedPolicy, applyMetadataPolicy } from '../federation/metadata-policy/apply-policy.ts';
import { type ChainPolicy, resolveChainPolicy } from '../federation/metadata-policy/chain-policy.ts';
import type { MetadataPolicy } from '../federation/metadata-policy/metadata-policy.ts';
import type { JsonValue } from '../spec/json.ts';

export const ENTITY_TYPE = 'openid_relying_party';

export type Members = Readonly<Record<string, JsonValue>>;

/** Resolves the policy of a chain. The first policy is that of the most superior statement. */
export function chainOf(policies: readonly JsonValue[], crit?: JsonValue): ChainPolicy {
  return resolveChainPolicy(
    policies.map((metadata_policy, index) => ({
      issuer: `https://superior-${index}.example`,
      metadata_policy,
      metadata_policy_crit: crit,
    })),
  );
}

/** Returns the merged policy of relying parties, or the code of the problem. */
export function mergedPolicy(...policies: readonly Members[]): JsonValue {
  const chain = chainOf(policies.map((policy) => ({ [ENTITY_TYPE]: policy })));
  return chain.ok ? membersOf(chain.policy) : chain.problem.code;
}

export function membersOf(policy: MetadataPolicy): Members {
  return Object.fromEntries(
    [...(policy.entityTypes.get(ENTITY_TYPE) ?? [])].map(([name, operators]) => [name, { ...operators }]),
  );
}

export function applied(policies: readonly Members[], metadata: Members): AppliedPolicy {
  const chain = chainOf(policies.map((policy) => ({ [ENTITY_TYPE]: policy })));
  if (!chain.ok) throw new Error(`${chain.problem.code}: ${chain.problem.words}`);
  return applyMetadataPolicy(chain.policy, new Map([[ENTITY_TYPE, new Map(Object.entries(metadata))]]));
}

/** Returns the resolved metadata of a relying party, or the code of the problem. */
export function resolved(policies: readonly Members[], metadata: Members): JsonValue {
  const { problem, metadata: outcome } = applied(policies, metadata);
  return problem === undefined ? Object.fromEntries(outcome.get(ENTITY_TYPE) ?? []) : problem.code;
}
