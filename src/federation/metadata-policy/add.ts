import { isValueList, union } from './json-set.ts';
import { listFormProblem, listOf, NOT_A_LIST, subsetProblem } from './list-operator.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.2: adds what is not there yet; an absent parameter begins with its values. */
export const add: Operator = {
  name: 'add',
  formProblem: listFormProblem,
  combinations: {
    default: always,
    subset_of: (own, subsetOf) => subsetProblem(own, subsetOf, 'must hold values of subset_of only'),
    superset_of: always,
    essential: always,
  },
  merge: (superior, subordinate) => ({ value: union(listOf(superior), listOf(subordinate)) }),
  apply: (configured, parameter) => {
    if (parameter === undefined) return { value: configured };
    return isValueList(parameter) ? { value: union(parameter, listOf(configured)) } : NOT_A_LIST;
  },
};
