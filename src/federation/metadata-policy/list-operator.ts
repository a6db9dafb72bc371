import type { JsonValue } from '../../spec/json.ts';
import { isArray, isSubset, isValueList } from './json-set.ts';
import type { Outcome } from './operator.ts';

/** The form of `add`, `one_of`, `subset_of` and `superset_of` (§6.1.3.1.2, 4, 5, 6). */
export function listFormProblem(configured: JsonValue): string | undefined {
  return isValueList(configured) ? undefined : 'must be an array of strings, of numbers or of objects';
}

/** Lists of an operator whose form was checked before. */
export function listOf(configured: JsonValue): readonly JsonValue[] {
  return isArray(configured) ? configured : [];
}

/** A combination that holds where the values of the one are among those of the other. */
export function subsetProblem(part: JsonValue, whole: JsonValue, words: string): string | undefined {
  return isArray(part) && isArray(whole) && isSubset(part, whole) ? undefined : words;
}

/** §6.1.3: "When the metadata parameter has a JSON value type that is not supported, the operator MUST produce a policy error." */
export function whereList(
  parameter: JsonValue | undefined,
  act: (values: readonly JsonValue[]) => Outcome<JsonValue>,
): Outcome<JsonValue | undefined> {
  if (parameter === undefined) return { value: undefined };
  return isValueList(parameter) ? act(parameter) : NOT_A_LIST;
}

export const NOT_A_LIST = {
  problem: 'needs a parameter that is an array of strings, of numbers or of objects',
} as const;
