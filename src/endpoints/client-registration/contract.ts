import type { Contract } from '../contract.ts';

/** The registration endpoint of the interface. */
export const contract = {
  name: 'client-registration',
  method: 'POST',
  path: '/clients',
  specifications: [
    'RFC 7591 §3',
    'OpenID Connect Dynamic Client Registration 1.0 §3',
    'interface: POST /clients',
  ],
  statuses: [200, 400, 401, 403, 429, 500, 503],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;

/** The same endpoint with the path and the status 201 of the specifications (decision 4). */
export const registerContract = {
  ...contract,
  name: 'client-registration-201',
  path: '/register',
  statuses: [201, 400, 401, 403, 429, 500, 503],
} as const satisfies Contract;
