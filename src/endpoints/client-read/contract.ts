import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'client-read',
  method: 'GET',
  path: '/clients/{id}',
  segments: { id: 'The identifier of the client, percent-encoded.' },
  purpose: 'Reads a registration, and renews an expired secret.',
  credentials: ['master-token', 'registration-access-token'],
  answers: {
    200: { words: 'The registration.', content: { 'application/json': named('ClientInformation') } },
  },
  specifications: [
    'RFC 7592 §2.1',
    'OpenID Connect Dynamic Client Registration 1.0 §4',
    'interface: GET /clients/{id}',
  ],
  statuses: [200, 401, 403, 404, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_token', 'insufficient_scope'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

/** The same endpoint below the address that discovery names by default: clients append their identifier to it. */
export const contractAtRegister = {
  ...contract,
  name: 'client-read-at-register',
  path: '/register/{id}',
} as const satisfies Contract;
