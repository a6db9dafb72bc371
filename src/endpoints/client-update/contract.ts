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

/** The same endpoint below the address that discovery names by default: clients append their identifier to it. */
export const contractAtRegister = {
  ...contract,
  name: 'client-update-at-register',
  path: '/register/{id}',
} as const satisfies Contract;
