import type { JsonValue } from '../../spec/json.ts';
import { includes, intersection, isArray, isSubset, sameJson, union } from '../json-value.ts';

/** The names of §6.1.3.1, in the order in which operators are applied. */
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

/** Says why an operator cannot be merged or applied, in words that follow its name. */
interface Refusal {
  readonly problem: string;
}

type Outcome<Value> = { readonly value: Value } | Refusal;

/** Returns why two operators of one policy contradict each other, or undefined if they do not. */
type Combination = (own: JsonValue, other: JsonValue) => string | undefined;

/** The rules of one operator of metadata policies (§6.1.3). */
export interface Operator {
  /** Returns why the operator cannot have this value, or undefined if it can. */
  readonly formProblem: (configured: JsonValue) => string | undefined;
  /** The operators with a later place in the order that may stand in the same policy. Every other pair is an error. */
  readonly combinations: Readonly<Partial<Record<OperatorName, Combination>>>;
  /** Merges two values that `formProblem` accepts. */
  readonly merge: (superior: JsonValue, subordinate: JsonValue) => Outcome<JsonValue>;
  /** Returns the new value of a parameter. An absent parameter is undefined. */
  readonly apply: (configured: JsonValue, parameter: JsonValue | undefined) => Outcome<JsonValue | undefined>;
}

const always: Combination = () => undefined;

/** The standard operators (§6.1.3.1). This server knows no other. Values may be objects, which is optional. */
export const OPERATORS: Readonly<Record<OperatorName, Operator>> = {
  /** §6.1.3.1.1: assigns its value. Null removes the parameter. */
  value: {
    formProblem: () => undefined,
    combinations: {
      add: (own, add) => subsetProblem(add, own, 'must hold every value of add'),
      default: (own) => (own === null ? 'must not be null beside default' : undefined),
      one_of: (own, oneOf) =>
        includes(listOf(oneOf), own) ? undefined : 'must be one of the values of one_of',
      subset_of: (own, subsetOf) => subsetProblem(own, subsetOf, 'must hold only values of subset_of'),
      superset_of: (own, supersetOf) =>
        subsetProblem(supersetOf, own, 'must hold every value of superset_of'),
      essential: (own, essential) =>
        own === null && essential === true ? 'must not be null beside essential true' : undefined,
    },
    merge: mergeEqual,
    apply: (configured) => ({ value: configured ?? undefined }),
  },
  /** §6.1.3.1.2: adds the values that the parameter lacks. Sets an absent parameter to all of its values. */
  add: {
    formProblem: listFormProblem,
    combinations: {
      default: always,
      subset_of: (own, subsetOf) => subsetProblem(own, subsetOf, 'must hold only values of subset_of'),
      superset_of: always,
      essential: always,
    },
    merge: (superior, subordinate) => ({ value: union(listOf(superior), listOf(subordinate)) }),
    apply: (configured, parameter) =>
      parameter === undefined
        ? { value: configured }
        : whereList(parameter, (values) => ({ value: union(values, listOf(configured)) })),
  },
  /** §6.1.3.1.3: sets an absent parameter. */
  default: {
    formProblem: (configured) => (configured === null ? 'must not be null' : undefined),
    combinations: { one_of: always, subset_of: always, superset_of: always, essential: always },
    merge: mergeEqual,
    apply: (configured, parameter) => ({ value: parameter ?? configured }),
  },
  /** §6.1.3.1.4: requires a present parameter to be one of its values. */
  one_of: {
    formProblem: listFormProblem,
    combinations: { essential: always },
    merge: (superior, subordinate) => {
      const both = intersection(listOf(superior), listOf(subordinate));
      return both.length > 0
        ? { value: both }
        : { problem: 'shares no value with the one_of of the superior' };
    },
    apply: (configured, parameter) => {
      if (parameter === undefined) return { value: undefined };
      if (isArray(parameter) || typeof parameter === 'boolean') {
        return { problem: 'requires the parameter to be a string, a number or an object' };
      }
      return includes(listOf(configured), parameter)
        ? { value: parameter }
        : { problem: 'does not list the value of the parameter' };
    },
  },
  /** §6.1.3.1.5: removes other values from a present parameter; "the resulting intersection may thus be an empty array". */
  subset_of: {
    formProblem: listFormProblem,
    combinations: {
      superset_of: (own, supersetOf) =>
        subsetProblem(supersetOf, own, 'must hold every value of superset_of'),
      essential: always,
    },
    merge: (superior, subordinate) => ({ value: intersection(listOf(superior), listOf(subordinate)) }),
    apply: (configured, parameter) =>
      whereList(parameter, (values) => ({ value: intersection(values, listOf(configured)) })),
  },
  /** §6.1.3.1.6: requires a present parameter to have all of its values. */
  superset_of: {
    formProblem: listFormProblem,
    combinations: { essential: always },
    merge: (superior, subordinate) => ({ value: union(listOf(superior), listOf(subordinate)) }),
    apply: (configured, parameter) =>
      whereList(parameter, (values) =>
        isSubset(listOf(configured), values)
          ? { value: values }
          : { problem: 'lists a value that the parameter lacks' },
      ),
  },
  /** §6.1.3.1.7: true requires the parameter to be present after all other operators. */
  essential: {
    formProblem: (configured) => (typeof configured === 'boolean' ? undefined : 'must be true or false'),
    combinations: {},
    merge: (superior, subordinate) => ({ value: superior === true || subordinate === true }),
    apply: (configured, parameter) =>
      configured === true && parameter === undefined
        ? { problem: 'requires the parameter, which is absent' }
        : { value: parameter },
  },
};

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

function mergeEqual(superior: JsonValue, subordinate: JsonValue): Outcome<JsonValue> {
  return sameJson(superior, subordinate)
    ? { value: superior }
    : { problem: 'differs from the value that the superior sets' };
}

function listFormProblem(configured: JsonValue): string | undefined {
  return isValueList(configured) ? undefined : 'must be an array of strings, numbers or objects';
}

/** Returns whether set operators accept the value (§6.1.3.1): an array of strings or, optionally, of numbers or objects. */
function isValueList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return (
    isArray(value) &&
    (value.every((item) => typeof item === 'string') ||
      value.every((item) => typeof item === 'number') ||
      value.every((item) => typeof item === 'object' && item !== null && !isArray(item)))
  );
}

/** Returns the values of an operator. `formProblem` has accepted them before. */
function listOf(configured: JsonValue): readonly JsonValue[] {
  return isArray(configured) ? configured : [];
}

function subsetProblem(part: JsonValue, whole: JsonValue, problem: string): string | undefined {
  return isArray(part) && isArray(whole) && isSubset(part, whole) ? undefined : problem;
}

/** §6.1.3: "When the metadata parameter has a JSON value type that is not supported, the operator MUST produce a policy error." */
function whereList(
  parameter: JsonValue | undefined,
  apply: (values: readonly JsonValue[]) => Outcome<JsonValue>,
): Outcome<JsonValue | undefined> {
  if (parameter === undefined) return { value: undefined };
  return isValueList(parameter)
    ? apply(parameter)
    : { problem: 'requires the parameter to be an array of strings, numbers or objects' };
}
