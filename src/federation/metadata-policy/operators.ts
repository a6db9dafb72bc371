import { add } from './add.ts';
import { defaultOperator } from './default.ts';
import { essential } from './essential.ts';
import { oneOf } from './one-of.ts';
import { OPERATOR_NAMES, type Operator, type OperatorName } from './operator.ts';
import { subsetOf } from './subset-of.ts';
import { supersetOf } from './superset-of.ts';
import { value } from './value.ts';

/** §6.1.3.1: the standard operators; this server knows no other. */
export const OPERATORS: Readonly<Record<OperatorName, Operator>> = {
  value,
  add,
  default: defaultOperator,
  one_of: oneOf,
  subset_of: subsetOf,
  superset_of: supersetOf,
  essential,
};

export function isOperatorName(name: string): name is OperatorName {
  return Object.hasOwn(OPERATORS, name);
}

/** In the order of application (§6.1.3.1). */
export const OPERATORS_IN_ORDER: readonly Operator[] = OPERATOR_NAMES.map((name) => OPERATORS[name]);
