import { isObject } from '../statement-checks/statement-check.ts';
import type { Constraint } from './constraint.ts';

export const pathLength: Constraint = {
  section: '§6.2.1',
  name: 'max_path_length',
  code: 'constraint_path_length',
  problem: ({ statement, intermediates }) => {
    const { constraints } = statement.jwt.claims;
    const max = isObject(constraints) ? constraints['max_path_length'] : undefined;
    return typeof max === 'number' && intermediates > max
      ? `${statement.iss} allows ${max} intermediates below it; there are ${intermediates}`
      : undefined;
  },
};
