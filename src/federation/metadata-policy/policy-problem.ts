import type { JsonValue } from '../../spec/json.ts';

export type PolicyProblemCode =
  /** The claim does not have the three levels of objects of §6.1.2. */
  | 'policy_form'
  /** A critical operator is unknown (§6.1.3.2). */
  | 'policy_crit'
  /** An operator has a value that its section does not allow (§6.1.3). */
  | 'policy_operator_value'
  /** Two operators cannot be combined, or not with these values (§6.1.3). */
  | 'policy_combination'
  /** A subordinate's operator cannot be merged with its superior's (§6.1.4.1). */
  | 'policy_merge'
  /** The metadata does not comply with the policy (§6.1.4.2). */
  | 'policy_violated';

/** A place in a metadata policy. The last member that is present is the level with the problem. */
export interface PolicyPlace {
  readonly entity_type?: string;
  readonly parameter?: string;
  readonly operator?: string;
}

/** A policy error (§6.1). It makes the trust chain invalid. */
export interface PolicyProblem extends PolicyPlace {
  readonly code: PolicyProblemCode;
  /** A sentence without any configured or received value. */
  readonly words: string;
}

/** The effect of one operator on one parameter. An absent parameter is undefined. */
export interface PolicyStep extends Required<PolicyPlace> {
  readonly configured: JsonValue;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  /** The entities whose policies have the operator for this parameter, from the trust anchor downwards. */
  readonly issuers?: readonly string[];
  /** Why the operator failed. If it failed, `after` equals `before`. */
  readonly problem?: string;
}

export type PolicyResult<Value> = { readonly ok: true; readonly value: Value } | PolicyFailure;

export interface PolicyFailure {
  readonly ok: false;
  readonly problem: PolicyProblem;
}

export function policyFailure(code: PolicyProblemCode, place: PolicyPlace, words: string): PolicyFailure {
  return { ok: false, problem: { code, ...place, words } };
}
