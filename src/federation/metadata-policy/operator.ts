import type { JsonValue } from '../../spec/json.ts';

/** The names of §6.1.3.1, in their order of application. */
export const OPERATOR_NAMES = [
  'value',
  'add',
  'default',
  'one_of',
  'subset_of',
  'superset_of',
  'essential',
] as const;

export type OperatorName = (typeof OPERATOR_NAMES)[number];

/** Why an act of an operator fails, as words that follow its name. */
export interface Refusal {
  readonly problem: string;
}

export type Outcome<Value> = { readonly value: Value } | Refusal;

/** Why two operators of one policy contradict each other; undefined when they do not. */
export type Combination = (own: JsonValue, other: JsonValue) => string | undefined;

/** One operator of metadata policies (OpenID Federation 1.0 §6.1.3): everything that its section says of it. */
export interface Operator {
  readonly name: OperatorName;
  /** Why it cannot be configured with a value; undefined when it can. */
  readonly formProblem: (configured: JsonValue) => string | undefined;
  /** The operators applied after it that it may stand beside, and on which condition; every other pair is an error. */
  readonly combinations: Readonly<Partial<Record<OperatorName, Combination>>>;
  /** Of two values that are in order each by itself. */
  readonly merge: (superior: JsonValue, subordinate: JsonValue) => Outcome<JsonValue>;
  /** What becomes of a parameter; undefined stands for an absent one. */
  readonly apply: (configured: JsonValue, parameter: JsonValue | undefined) => Outcome<JsonValue | undefined>;
}

export const always: Combination = () => undefined;
