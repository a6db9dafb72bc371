import type { JsonValue } from '../../spec/json.ts';
import { isArray } from '../json-value.ts';
import { OPERATOR_NAMES, OPERATORS, type OperatorName } from './operators.ts';
import {
  type PolicyFailure,
  type PolicyPlace,
  type PolicyResult,
  type PolicyStep,
  policyFailure,
} from './policy-problem.ts';

/** The policy of one parameter, by operator (§6.1.2, third level). Holds known operators only. */
export type ParameterPolicy = Readonly<Partial<Record<OperatorName, JsonValue>>>;

type Place = Required<Omit<PolicyPlace, 'operator'>>;

/** Returns the operators of a policy in the order in which they are applied. */
function present(
  policy: ParameterPolicy,
): readonly (readonly [operator: OperatorName, configured: JsonValue])[] {
  return OPERATOR_NAMES.flatMap((name) => {
    const configured = policy[name];
    return configured === undefined ? [] : [[name, configured] as const];
  });
}

/** Checks each operator and each pair of operators. Returns the policy with `scope` values as arrays. */
export function checkedParameterPolicy(given: ParameterPolicy, place: Place): PolicyResult<ParameterPolicy> {
  const policy: { [Name in OperatorName]?: JsonValue } = {};
  for (const [operator, configured] of present(given)) {
    const problem = OPERATORS[operator].formProblem(configured);
    if (problem !== undefined) {
      return policyFailure('policy_operator_value', { ...place, operator }, `${operator} ${problem}`);
    }
    policy[operator] = asOperand(place.parameter, configured);
  }
  return combinationFailure(policy, place) ?? { ok: true, value: policy };
}

/** §6.1.3: "Combinations that are not allowed MUST produce a policy error", in single policies and in merged ones. */
function combinationFailure(policy: ParameterPolicy, place: Place): PolicyFailure | undefined {
  const operators = present(policy);
  for (const [index, [operator, own]] of operators.entries()) {
    for (const [beside, other] of operators.slice(index + 1)) {
      const condition = OPERATORS[operator].combinations[beside];
      const problem = condition === undefined ? `cannot be combined with ${beside}` : condition(own, other);
      if (problem !== undefined) {
        return policyFailure('policy_combination', { ...place, operator }, `${operator} ${problem}`);
      }
    }
  }
  return undefined;
}

/** Merges the policies of one parameter (§6.1.4.1, third level). */
export function mergedParameterPolicy(
  superior: ParameterPolicy,
  subordinate: ParameterPolicy,
  place: Place,
): PolicyResult<ParameterPolicy> {
  const merged: { [Name in OperatorName]?: JsonValue } = { ...superior };
  for (const [operator, configured] of present(subordinate)) {
    const above = superior[operator];
    const outcome =
      above === undefined ? { value: configured } : OPERATORS[operator].merge(above, configured);
    if ('problem' in outcome) {
      return policyFailure('policy_merge', { ...place, operator }, `${operator} ${outcome.problem}`);
    }
    merged[operator] = outcome.value;
  }
  return combinationFailure(merged, place) ?? { ok: true, value: merged };
}

/** The result of all operators of one parameter. If one fails, the last step has its problem. */
export interface AppliedParameter {
  readonly value: JsonValue | undefined;
  readonly steps: readonly PolicyStep[];
  readonly failure: PolicyFailure | undefined;
}

/** Applies the operators of one parameter, up to the first that fails (§6.1.4.2). */
export function applyParameterPolicy(
  policy: ParameterPolicy,
  parameter: JsonValue | undefined,
  place: Place,
): AppliedParameter {
  const steps: PolicyStep[] = [];
  let value = parameter === undefined ? undefined : asOperand(place.parameter, parameter);
  for (const [operator, configured] of present(policy)) {
    const step = { ...place, operator, configured, before: value };
    const outcome = OPERATORS[operator].apply(configured, value);
    if ('problem' in outcome) {
      steps.push({ ...step, after: value, problem: outcome.problem });
      const failure = policyFailure(
        'policy_violated',
        { ...place, operator },
        `${operator} ${outcome.problem}`,
      );
      return { value, steps, failure };
    }
    steps.push({ ...step, after: outcome.value });
    value = outcome.value;
  }
  return {
    value: value === undefined ? undefined : asParameter(place.parameter, value),
    steps,
    failure: undefined,
  };
}

/**
 * §6.1.3.1.8: `scope` "represented by a string of space-separated string values, is to be regarded and processed as a
 * string array by policy operators".
 */
function asOperand(parameter: string, value: JsonValue): JsonValue {
  if (parameter !== 'scope' || typeof value !== 'string') return value;
  return value.split(' ').filter((word) => word !== '');
}

/** §6.1.3.1.8: "The resulting `scope` metadata parameter is a space-separated string". */
function asParameter(parameter: string, value: JsonValue): JsonValue {
  const isWords = parameter === 'scope' && isArray(value) && value.every((word) => typeof word === 'string');
  return isWords ? value.join(' ') : value;
}
