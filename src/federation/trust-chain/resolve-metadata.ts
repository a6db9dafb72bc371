import type { JsonValue } from '../../spec/json.ts';
import { withAllowedEntityTypes } from '../constraints.ts';
import type { SoundStatement } from '../entity-statement.ts';
import { isObject, type JsonMembers } from '../json-value.ts';
import { applyMetadataPolicy, type EntityMetadata } from '../metadata-policy/apply-policy.ts';
import { type PolicySource, resolveChainPolicy } from '../metadata-policy/chain-policy.ts';
import type { PolicyPlace, PolicyProblem, PolicyStep } from '../metadata-policy/policy-problem.ts';
import type { Reason } from '../reason.ts';

export interface ResolvedMetadata {
  readonly metadata: EntityMetadata;
  readonly steps: readonly PolicyStep[];
  readonly ignored: readonly Required<PolicyPlace>[];
  readonly reason: Reason | undefined;
}

/**
 * Resolves the subject's metadata (§6.1.4). The immediate superior's metadata replaces the subject's, then constraints remove
 * entity types, then the policies apply.
 * @param statements a valid chain, from the subject's configuration to that of the trust anchor
 */
export function resolveMetadata(statements: readonly SoundStatement[]): ResolvedMetadata {
  const [configuration, ...above] = statements;
  const subordinate = above.slice(0, -1);
  const own = asMaps(configuration?.metadata ?? {});
  const stated = withSuperiorMetadata(own, subordinate[0]?.metadata ?? {});
  const allowed = subordinate.reduce(withAllowedEntityTypes, stated);
  const sources = subordinate.toReversed().map(policySource);
  const policy = resolveChainPolicy(sources);
  if (!policy.ok) {
    return { metadata: allowed, steps: [], ignored: [], reason: policyReason(policy.problem, policy.issuer) };
  }
  const applied = applyMetadataPolicy(policy.policy, allowed);
  const { metadata, problem } = applied;
  const steps = applied.steps.map((step) => ({ ...step, issuers: issuersOf(step, sources) }));
  const reason = problem === undefined ? undefined : policyReason(problem);
  return { metadata, steps, ignored: policy.policy.ignored, reason };
}

/**
 * Returns the parameters of an entity type that a superior decides: its immediate superior states them, or a policy of the chain
 * names them.
 * @param statements a valid chain, from the subject's configuration to that of the trust anchor
 */
export function decidedBySuperiors(
  statements: readonly SoundStatement[],
  entityType: string,
): ReadonlySet<string> {
  const subordinate = statements.slice(1, -1);
  const stated = subordinate[0]?.metadata[entityType] ?? {};
  const policies = subordinate.map(({ jwt: { claims } }) => {
    const { metadata_policy } = claims;
    return isObject(metadata_policy) ? (metadata_policy[entityType] ?? {}) : {};
  });
  return new Set([stated, ...policies].flatMap(membersOf).map(([name]) => name));
}

function issuersOf(
  { entity_type, parameter, operator }: PolicyStep,
  sources: readonly PolicySource[],
): readonly string[] {
  const states = ({ metadata_policy }: PolicySource): boolean =>
    [entity_type, parameter, operator].reduce(memberOf, metadata_policy) !== undefined;
  return sources.filter(states).map(({ issuer }) => issuer);
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function policySource({ iss, jwt: { claims } }: SoundStatement): PolicySource {
  const { metadata_policy, metadata_policy_crit } = claims;
  return { issuer: iss, metadata_policy, metadata_policy_crit };
}

function asMaps(metadata: JsonMembers): EntityMetadata {
  return new Map(
    Object.entries(metadata).map(([type, parameters]) => [type, new Map(membersOf(parameters))]),
  );
}

function membersOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  return isObject(value) ? Object.entries(value) : [];
}

/** Replaces parameters by those that the superior states. §3.1.1: "it applies only to those Entity Types that are present in the subject's Entity Configuration". */
function withSuperiorMetadata(own: EntityMetadata, stated: JsonMembers): EntityMetadata {
  const overlaid = [...own].map(([type, parameters]) => {
    const overriding = Object.hasOwn(stated, type) ? membersOf(stated[type] ?? {}) : [];
    return [type, new Map([...parameters, ...overriding])] as const;
  });
  return new Map(overlaid);
}

const NAME_LENGTH_MAX = 80;

function policyReason({ code, entity_type, parameter, words }: PolicyProblem, issuer?: string): Reason {
  const place = [entity_type, parameter].filter((name) => name !== undefined).map(shown);
  const by = issuer === undefined ? 'the metadata policy' : `the metadata policy of ${issuer}`;
  return { code, words: [by, ...(place.length === 0 ? [] : [`for ${place.join('.')}`]), words].join(': ') };
}

/** Shortens a name of a policy and replaces characters that do not fit into a sentence. */
function shown(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX).replaceAll(/[^\w.#-]/gu, '?');
}
