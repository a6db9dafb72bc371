import type { Contract } from '../contract.ts';

export const contract = {
  name: 'signed-jwk-set',
  method: 'GET',
  path: '/jwks.jwt',
  specifications: ['OpenID Federation 1.0 §5.2.1', 'interface: GET /jwks.jwt'],
  statuses: [200, 404, 500],
  errors: 'json',
  errorStatuses: { federation_not_enabled: 404 },
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
