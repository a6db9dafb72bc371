import type { JsonValue } from '../../spec/json.ts';
import { type AppliedPolicy, applyMetadataPolicy } from './apply-policy.ts';
import { type ChainPolicy, resolveChainPolicy } from './chain-policy.ts';
import type { MetadataPolicy } from './metadata-policy.ts';

export const ENTITY_TYPE = 'openid_relying_party';

export type Members = Readonly<Record<string, JsonValue>>;

/** The policy of a chain whose statements have these policies, the most superior one first. */
export function chainOf(policies: readonly JsonValue[], crit?: JsonValue): ChainPolicy {
  return resolveChainPolicy(
    policies.map((metadata_policy, index) => ({
      issuer: `https://superior-${index}.example`,
      metadata_policy,
      metadata_policy_crit: crit,
    })),
  );
}

/** The merged policy of relying parties, or the code of the problem. */
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

/** The resolved metadata of a relying party, or the code of the problem. */
export function resolved(policies: readonly Members[], metadata: Members): JsonValue {
  const { problem, metadata: outcome } = applied(policies, metadata);
  return problem === undefined ? Object.fromEntries(outcome.get(ENTITY_TYPE) ?? []) : problem.code;
}
