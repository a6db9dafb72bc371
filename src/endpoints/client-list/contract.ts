import type { Contract } from '../contract.ts';

export const contract = {
  name: 'client-list',
  method: 'GET',
  path: '/clients',
  specifications: ['interface: GET /clients'],
  statuses: [200, 400, 401, 403, 500],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;
