import type { Contract } from '../contract.ts';

export const contract = {
  name: 'client-update',
  method: 'PUT',
  path: '/clients/{id}',
  specifications: ['RFC 7592 §2.2', 'interface: PUT /clients/{id}'],
  statuses: [200, 400, 401, 403, 404, 500, 503],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
