import type { Contract } from '../contract.ts';

/** Exists only with a federation. */
export const contract = {
  name: 'federation-historical-keys',
  method: 'GET',
  path: '/federation/historical-keys',
  specifications: ['OpenID Federation 1.0 §8.7'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
