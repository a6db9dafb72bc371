import type { JsonValue } from '../../spec/json.ts';
import { isArray } from './json-set.ts';
import type { OperatorName } from './operator.ts';
import { isOperatorName } from './operators.ts';
import { checkedParameterPolicy, mergedParameterPolicy, type ParameterPolicy } from './parameter-policy.ts';
import { type PolicyPlace, type PolicyResult, policyFailure } from './policy-problem.ts';

/** Of one entity type, by parameter; a name may have a language tag (§14), and is then another parameter. */
export type EntityTypePolicy = ReadonlyMap<string, ParameterPolicy>;

/** A `metadata_policy` that is in order by itself (§6.1.2), by entity type. */
export interface MetadataPolicy {
  readonly entityTypes: ReadonlyMap<string, EntityTypePolicy>;
  /** Operators that are not understood and not critical: "Implementations MUST ignore" them (§6.1.3.2). */
  readonly ignored: readonly Required<PolicyPlace>[];
}

export const EMPTY_POLICY: MetadataPolicy = { entityTypes: new Map(), ignored: [] };

type Members = readonly (readonly [name: string, value: JsonValue])[];

/** @param critical names from every `metadata_policy_crit` of the chain */
export function parseMetadataPolicy(
  claim: JsonValue,
  critical: ReadonlySet<string>,
): PolicyResult<MetadataPolicy> {
  const types = membersOf(claim);
  if (types === undefined) return policyFailure('policy_form', {}, 'metadata_policy must be an object');
  const entityTypes = new Map<string, EntityTypePolicy>();
  const ignored: Required<PolicyPlace>[] = [];
  for (const [entity_type, parameters] of types) {
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
  const parameters = membersOf(claim);
  if (parameters === undefined) {
    return policyFailure('policy_form', { entity_type }, 'the policy of an entity type must be an object');
  }
  const policy = new Map<string, ParameterPolicy>();
  const ignored: Required<PolicyPlace>[] = [];
  for (const [parameter, operators] of parameters) {
    const place = { entity_type, parameter };
    const members = membersOf(operators);
    if (members === undefined) {
      return policyFailure('policy_form', place, 'the policy of a parameter must be an object');
    }
    const strange = members.map(([name]) => name).filter((name) => !isOperatorName(name));
    const unmet = strange.find((name) => critical.has(name));
    if (unmet !== undefined) {
      const words = 'a critical operator is not understood';
      return policyFailure('policy_crit', { ...place, operator: unmet }, words);
    }
    ignored.push(...strange.map((operator) => ({ ...place, operator })));
    const checked = checkedParameterPolicy(understood(members), place);
    if (!checked.ok) return checked;
    policy.set(parameter, checked.value);
  }
  return { ok: true, value: { policy, ignored } };
}

function understood(members: Members): ParameterPolicy {
  const policy: { [Name in OperatorName]?: JsonValue } = {};
  for (const [name, configured] of members) if (isOperatorName(name)) policy[name] = configured;
  return policy;
}

function membersOf(value: JsonValue): Members | undefined {
  return typeof value !== 'object' || value === null || isArray(value) ? undefined : Object.entries(value);
}

/** §6.1.4.1: a subordinate's policy narrows the one above it, and copies to it what is not there. */
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
