import type { Contract } from '../contract.ts';

export const contract = {
  name: 'client-delete',
  method: 'DELETE',
  path: '/clients/{id}',
  segments: { id: 'The identifier of the client, percent-encoded.' },
  purpose: 'Deletes a registration, and ends the tokens of the client.',
  credentials: ['master-token', 'registration-access-token'],
  answers: {
    204: { words: 'The client is deleted.' },
  },
  specifications: ['RFC 7592 §2.3', 'interface: DELETE /clients/{id}'],
  statuses: [204, 401, 403, 404, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_token', 'insufficient_scope'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

/** The same endpoint below the address that discovery names by default: clients append their identifier to it. */
export const contractAtRegister = {
  ...contract,
  name: 'client-delete-at-register',
  path: '/register/{id}',
} as const satisfies Contract;
