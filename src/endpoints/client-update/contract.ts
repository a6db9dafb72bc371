import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'client-update',
  method: 'PUT',
  path: '/clients/{id}',
  segments: { id: 'The identifier of the client, percent-encoded.' },
  purpose: 'Replaces a registration. The answer has a new secret and a new registration access token.',
  credentials: ['master-token', 'registration-access-token'],
  content: { 'application/json': named('ClientMetadata') },
  answers: {
    200: { words: 'The new registration.', content: { 'application/json': named('ClientInformation') } },
  },
  specifications: ['RFC 7592 §2.2', 'interface: PUT /clients/{id}'],
  statuses: [200, 400, 401, 403, 404, 500, 503],
  errors: 'bearer-challenge',
  refusals: [
    'invalid_request',
    'invalid_redirect_uri',
    'invalid_client_metadata',
    'invalid_software_statement',
    'unapproved_software_statement',
    'invalid_token',
    'insufficient_scope',
  ],
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;

/** The same endpoint below the address that discovery names by default: clients append their identifier to it. */
export const contractAtRegister = {
  ...contract,
  name: 'client-update-at-register',
  path: '/register/{id}',
} as const satisfies Contract;
