import type { Contract } from '../contract.ts';

export const contract = {
  name: 'page-asset',
  method: 'GET',
  path: '/assets/{id}',
  specifications: ['RFC 8246 §2'],
  statuses: [200, 404, 500],
  errors: 'json',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;
