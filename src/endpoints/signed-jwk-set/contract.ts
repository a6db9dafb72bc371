import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'signed-jwk-set',
  method: 'GET',
  path: '/jwks.jwt',
  purpose: 'Serves the public keys of the server, signed with its federation key.',
  credentials: ['none'],
  answers: {
    200: { words: 'The keys, as a signed JWT.', content: { 'application/jwk-set+jwt': TEXT } },
  },
  specifications: ['OpenID Federation 1.0 §5.2.1', 'interface: GET /jwks.jwt'],
  statuses: [200, 404, 500],
  errors: 'json',
  refusals: ['federation_not_enabled'],
  errorStatuses: { federation_not_enabled: 404 },
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
