import { includes, intersection, isArray } from './json-set.ts';
import { listFormProblem, listOf } from './list-operator.ts';
import { always, type Operator } from './operator.ts';

/** §6.1.3.1.4: a parameter that is present has one of its values. */
export const oneOf: Operator = {
  name: 'one_of',
  formProblem: listFormProblem,
  combinations: { essential: always },
  merge: (superior, subordinate) => {
    const both = intersection(listOf(superior), listOf(subordinate));
    return both.length > 0
      ? { value: both }
      : { problem: 'has no value in common with the one of the superior' };
  },
  apply: (configured, parameter) => {
    if (parameter === undefined) return { value: undefined };
    if (isArray(parameter) || typeof parameter === 'boolean') {
      return { problem: 'needs a parameter that is a string, a number or an object' };
    }
    return includes(listOf(configured), parameter)
      ? { value: parameter }
      : { problem: 'does not have the value of the parameter' };
  },
};
