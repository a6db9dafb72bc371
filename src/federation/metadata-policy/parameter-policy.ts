import type { JsonValue } from '../../spec/json.ts';
import type { OperatorName } from './operator.ts';
import { OPERATORS, OPERATORS_IN_ORDER } from './operators.ts';
import {
  type PolicyFailure,
  type PolicyPlace,
  type PolicyResult,
  type PolicyStep,
  policyFailure,
} from './policy-problem.ts';
import { asOperand, asParameter } from './scope-parameter.ts';

/** What is configured for one parameter, by operator (§6.1.2, third level). Only operators that are understood. */
export type ParameterPolicy = Readonly<Partial<Record<OperatorName, JsonValue>>>;

type Place = Required<Omit<PolicyPlace, 'operator'>>;

/** The operators that a policy has, in the order of their application. */
function present(
  policy: ParameterPolicy,
): readonly (readonly [operator: OperatorName, configured: JsonValue])[] {
  return OPERATORS_IN_ORDER.flatMap(({ name }) => {
    const configured = policy[name];
    return configured === undefined ? [] : [[name, configured] as const];
  });
}

/** @returns the policy in the form in which operators work on it. */
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
      const problem = condition === undefined ? `cannot stand beside ${beside}` : condition(own, other);
      if (problem !== undefined) {
        return policyFailure('policy_combination', { ...place, operator }, `${operator} ${problem}`);
      }
    }
  }
  return undefined;
}

/** §6.1.4.1, third level. */
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

/** What became of a parameter, operator by operator; the last step has the problem where there is one. */
export interface AppliedParameter {
  readonly value: JsonValue | undefined;
  readonly steps: readonly PolicyStep[];
  readonly failure: PolicyFailure | undefined;
}

/** §6.1.4.2. */
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
