import type { JsonValue } from '../../spec/json.ts';

export type PolicyProblemCode =
  /** Not the three levels of objects of §6.1.2. */
  | 'policy_form'
  /** A critical operator that is not understood (§6.1.3.2). */
  | 'policy_crit'
  /** An operator with a value it cannot have (§6.1.3). */
  | 'policy_operator_value'
  /** Two operators that may not stand together, or not with these values (§6.1.3). */
  | 'policy_combination'
  /** A subordinate's operator that cannot be merged with its superior's (§6.1.4.1). */
  | 'policy_merge'
  /** The metadata does not comply (§6.1.4.2). */
  | 'policy_violated';

/** Where in a metadata policy: each level below the top may be the one that is meant. */
export interface PolicyPlace {
  readonly entity_type?: string;
  readonly parameter?: string;
  readonly operator?: string;
}

/** The policy error of §6.1: the trust chain is invalid because of it. */
export interface PolicyProblem extends PolicyPlace {
  readonly code: PolicyProblemCode;
  /** A sentence, without anything that was configured or sent. */
  readonly words: string;
}

/** One operator at work on one parameter; undefined stands for an absent one. */
export interface PolicyStep extends Required<PolicyPlace> {
  readonly configured: JsonValue;
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
  /** Why the operator refused; then it changed nothing. */
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
