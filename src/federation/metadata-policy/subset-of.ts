import { intersection } from './json-set.ts';
import { listFormProblem, listOf, subsetProblem, whereList } from './list-operator.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.5: of a parameter that is present its values stay; "the resulting intersection may thus be an empty array". */
export const subsetOf: Operator = {
  name: 'subset_of',
  formProblem: listFormProblem,
  combinations: {
    superset_of: (own, supersetOf) => subsetProblem(supersetOf, own, 'must hold every value of superset_of'),
    essential: always,
  },
  merge: (superior, subordinate) => ({ value: intersection(listOf(superior), listOf(subordinate)) }),
  apply: (configured, parameter) =>
    whereList(parameter, (values) => ({ value: intersection(values, listOf(configured)) })),
};
