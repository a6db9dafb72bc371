import type { JsonValue } from '../../spec/json.ts';
import type { EntityTypePolicy, MetadataPolicy } from './metadata-policy.ts';
import { applyParameterPolicy } from './parameter-policy.ts';
import type { PolicyProblem, PolicyStep } from './policy-problem.ts';

/** The metadata parameters of one entity type, by name. */
export type EntityTypeMetadata = ReadonlyMap<string, JsonValue>;

/** The metadata of an entity, by entity type. Uses maps, because a name may be `__proto__`. */
export type EntityMetadata = ReadonlyMap<string, EntityTypeMetadata>;

export interface AppliedPolicy {
  /** If there is a problem, only the parameters before it have their new values. */
  readonly metadata: EntityMetadata;
  readonly steps: readonly PolicyStep[];
  readonly problem: PolicyProblem | undefined;
}

/** Applies a policy to the entity types that the subject has (§6.1.4.2). Ignores policies of other entity types. */
export function applyMetadataPolicy(policy: MetadataPolicy, metadata: EntityMetadata): AppliedPolicy {
  const applied = new Map(metadata);
  const steps: PolicyStep[] = [];
  for (const [entity_type, parameters] of metadata) {
    const outcome = applyToEntityType(
      policy.entityTypes.get(entity_type) ?? new Map(),
      parameters,
      entity_type,
    );
    applied.set(entity_type, outcome.parameters);
    steps.push(...outcome.steps);
    if (outcome.problem !== undefined) return { metadata: applied, steps, problem: outcome.problem };
  }
  return { metadata: applied, steps, problem: undefined };
}

interface AppliedEntityType {
  readonly parameters: EntityTypeMetadata;
  readonly steps: readonly PolicyStep[];
  readonly problem: PolicyProblem | undefined;
}

function applyToEntityType(
  policy: EntityTypePolicy,
  given: EntityTypeMetadata,
  entity_type: string,
): AppliedEntityType {
  const parameters = new Map(given);
  const steps: PolicyStep[] = [];
  for (const [parameter, operators] of policy) {
    const applied = applyParameterPolicy(operators, given.get(parameter), { entity_type, parameter });
    steps.push(...applied.steps);
    if (applied.failure !== undefined) return { parameters, steps, problem: applied.failure.problem };
    if (applied.value === undefined) parameters.delete(parameter);
    else parameters.set(parameter, applied.value);
  }
  return { parameters, steps, problem: undefined };
}
