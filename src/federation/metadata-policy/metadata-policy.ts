import type { JsonValue } from '../../spec/json.ts';
import { isObject, type JsonMembers } from '../json-value.ts';
import { isOperatorName, type OperatorName } from './operators.ts';
import { checkedParameterPolicy, mergedParameterPolicy, type ParameterPolicy } from './parameter-policy.ts';
import { type PolicyPlace, type PolicyResult, policyFailure } from './policy-problem.ts';

/** The policy of one entity type, by parameter. A name with a language tag (§14) is another parameter. */
export type EntityTypePolicy = ReadonlyMap<string, ParameterPolicy>;

/** A valid `metadata_policy` (§6.1.2), or several that were merged. */
export interface MetadataPolicy {
  readonly entityTypes: ReadonlyMap<string, EntityTypePolicy>;
  /** Unknown operators that are not critical: "Implementations MUST ignore" them (§6.1.3.2). */
  readonly ignored: readonly Required<PolicyPlace>[];
}

export const EMPTY_POLICY: MetadataPolicy = { entityTypes: new Map(), ignored: [] };

/**
 * Parses a `metadata_policy` claim and checks it against §6.1.2 and §6.1.3.
 * @param critical names from every `metadata_policy_crit` of the chain
 */
export function parseMetadataPolicy(
  claim: JsonValue,
  critical: ReadonlySet<string>,
): PolicyResult<MetadataPolicy> {
  if (!isObject(claim)) return policyFailure('policy_form', {}, 'metadata_policy must be an object');
  const entityTypes = new Map<string, EntityTypePolicy>();
  const ignored: Required<PolicyPlace>[] = [];
  for (const [entity_type, parameters] of Object.entries(claim)) {
    const parsed = parseEntityType(entity_type, parameters, critical);
    if (!parsed.ok) return parsed;
    entityTypes.set(entity_type, parsed.value.policy);
    ignored.push(...parsed.value.ignored);
  }
  return { ok: true, value: { entityTypes, ignored } };
}

interface ParsedEntityType {
  readonly policy: EntityTypePolicy;
  readonly ignored: readonly Required<PolicyPlace>[];
}

function parseEntityType(
  entity_type: string,
  claim: JsonValue,
  critical: ReadonlySet<string>,
): PolicyResult<ParsedEntityType> {
  if (!isObject(claim)) {
    return policyFailure('policy_form', { entity_type }, 'the policy of an entity type must be an object');
  }
  const policy = new Map<string, ParameterPolicy>();
  const ignored: Required<PolicyPlace>[] = [];
  for (const [parameter, operators] of Object.entries(claim)) {
    const place = { entity_type, parameter };
    if (!isObject(operators)) {
      return policyFailure('policy_form', place, 'the policy of a parameter must be an object');
    }
    const unknown = Object.keys(operators).filter((name) => !isOperatorName(name));
    const operator = unknown.find((name) => critical.has(name));
    if (operator !== undefined) {
      return policyFailure('policy_crit', { ...place, operator }, 'a critical operator is unknown');
    }
    ignored.push(...unknown.map((name) => ({ ...place, operator: name })));
    const checked = checkedParameterPolicy(knownOperators(operators), place);
    if (!checked.ok) return checked;
    policy.set(parameter, checked.value);
  }
  return { ok: true, value: { policy, ignored } };
}

function knownOperators(operators: JsonMembers): ParameterPolicy {
  const policy: { [Name in OperatorName]?: JsonValue } = {};
  for (const [name, configured] of Object.entries(operators))
    if (isOperatorName(name)) policy[name] = configured;
  return policy;
}

/** Merges two policies: the subordinate's policy narrows the superior's and adds parameters to it (§6.1.4.1). */
export function mergeMetadataPolicies(
  superior: MetadataPolicy,
  subordinate: MetadataPolicy,
): PolicyResult<MetadataPolicy> {
  const entityTypes = new Map(superior.entityTypes);
  for (const [entity_type, below] of subordinate.entityTypes) {
    const merged = mergedEntityType(entity_type, entityTypes.get(entity_type) ?? new Map(), below);
    if (!merged.ok) return merged;
    entityTypes.set(entity_type, merged.value);
  }
  return { ok: true, value: { entityTypes, ignored: [...superior.ignored, ...subordinate.ignored] } };
}

function mergedEntityType(
  entity_type: string,
  above: EntityTypePolicy,
  below: EntityTypePolicy,
): PolicyResult<EntityTypePolicy> {
  const policy = new Map(above);
  for (const [parameter, operators] of below) {
    const merged = mergedParameterPolicy(policy.get(parameter) ?? {}, operators, { entity_type, parameter });
    if (!merged.ok) return merged;
    policy.set(parameter, merged.value);
  }
  return { ok: true, value: policy };
}
