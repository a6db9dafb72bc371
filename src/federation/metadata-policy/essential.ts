import type { Operator } from './operator.ts';

/** §6.1.3.1.7: whether the parameter must be there when every other operator has done its work. */
export const essential: Operator = {
  name: 'essential',
  formProblem: (configured) => (typeof configured === 'boolean' ? undefined : 'must be true or false'),
  combinations: {},
  merge: (superior, subordinate) => ({ value: superior === true || subordinate === true }),
  apply: (configured, parameter) =>
    configured === true && parameter === undefined
      ? { problem: 'needs a parameter that is there' }
      : { value: parameter },
};
