import { isSubset, union } from './json-set.ts';
import { listFormProblem, listOf, whereList } from './list-operator.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.6: a parameter that is present has all of its values, and perhaps more. */
export const supersetOf: Operator = {
  name: 'superset_of',
  formProblem: listFormProblem,
  combinations: { essential: always },
  merge: (superior, subordinate) => ({ value: union(listOf(superior), listOf(subordinate)) }),
  apply: (configured, parameter) =>
    whereList(parameter, (values) =>
      isSubset(listOf(configured), values)
        ? { value: values }
        : { problem: 'has values that the parameter does not have' },
    ),
};
