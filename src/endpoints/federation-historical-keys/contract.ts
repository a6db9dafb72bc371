import type { Contract } from '../contract.ts';

/** Stands where a federation is enabled, and nowhere else. */
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
