import type { Contract } from '../contract.ts';

/** POST /clients, as the interface has it. */
export const contract = {
  name: 'client-registration',
  method: 'POST',
  path: '/clients',
  specifications: [
    'RFC 7591 §3',
    'OpenID Connect Dynamic Client Registration 1.0 §3',
    'interface: POST /clients',
  ],
  statuses: [200, 400, 401, 403, 429, 500],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;

/** The same at the address and with the status that the specifications name (decision 4). */
export const registerContract = {
  ...contract,
  name: 'client-registration-201',
  path: '/register',
  statuses: [201, 400, 401, 403, 429, 500],
} as const satisfies Contract;
