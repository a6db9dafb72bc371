import type { JsonValue } from '../../spec/json.ts';
import { stringsOf } from '../json-value.ts';
import {
  EMPTY_POLICY,
  type MetadataPolicy,
  mergeMetadataPolicies,
  parseMetadataPolicy,
} from './metadata-policy.ts';
import type { PolicyProblem } from './policy-problem.ts';

/** The policy claims of one subordinate statement, unchecked. */
export interface PolicySource {
  readonly issuer: string;
  readonly metadata_policy: JsonValue | undefined;
  readonly metadata_policy_crit: JsonValue | undefined;
}

export type ChainPolicy =
  | { readonly ok: true; readonly policy: MetadataPolicy }
  | { readonly ok: false; readonly problem: PolicyProblem; readonly issuer: string };

/**
 * Parses and merges the metadata policies of a chain (§6.1.4.1).
 * @param sources "MUST begin with the Subordinate Statement issued by the most Superior Entity"
 */
export function resolveChainPolicy(sources: readonly PolicySource[]): ChainPolicy {
  const critical = new Set(sources.flatMap(({ metadata_policy_crit }) => stringsOf(metadata_policy_crit)));
  let policy = EMPTY_POLICY;
  for (const { issuer, metadata_policy } of sources) {
    if (metadata_policy === undefined) continue;
    const parsed = parseMetadataPolicy(metadata_policy, critical);
    if (!parsed.ok) return { ok: false, problem: parsed.problem, issuer };
    const merged = mergeMetadataPolicies(policy, parsed.value);
    if (!merged.ok) return { ok: false, problem: merged.problem, issuer };
    policy = merged.value;
  }
  return { ok: true, policy };
}
