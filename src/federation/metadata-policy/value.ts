import { includes, sameJson } from './json-set.ts';
import { listOf, subsetProblem } from './list-operator.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.1: assigns its value; null removes the parameter. Objects are supported, which is optional. */
export const value: Operator = {
  name: 'value',
  formProblem: () => undefined,
  combinations: {
    add: (own, add) => subsetProblem(add, own, 'must hold every value of add'),
    default: (own) => (own === null ? 'must not be null beside default' : undefined),
    one_of: (own, oneOf) => (includes(listOf(oneOf), own) ? undefined : 'must be among the values of one_of'),
    subset_of: (own, subsetOf) => subsetProblem(own, subsetOf, 'must hold values of subset_of only'),
    superset_of: (own, supersetOf) => subsetProblem(supersetOf, own, 'must hold every value of superset_of'),
    essential: (own, essential) =>
      own === null && essential === true ? 'must not be null beside essential true' : always(own, essential),
  },
  merge: (superior, subordinate) =>
    sameJson(superior, subordinate)
      ? { value: superior }
      : { problem: 'differs from the one of the superior' },
  apply: (configured) => ({ value: configured ?? undefined }),
};
