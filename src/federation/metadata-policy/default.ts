import { sameJson } from './json-set.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.3: the value of a parameter that is absent. Objects are supported, which is optional. */
export const defaultOperator: Operator = {
  name: 'default',
  formProblem: (configured) => (configured === null ? 'must not be null' : undefined),
  combinations: { one_of: always, subset_of: always, superset_of: always, essential: always },
  merge: (superior, subordinate) =>
    sameJson(superior, subordinate)
      ? { value: superior }
      : { problem: 'differs from the one of the superior' },
  apply: (configured, parameter) => ({ value: parameter ?? configured }),
};
