import type { Contract } from '../contract.ts';

export const contract = {
  name: 'introspection',
  method: 'POST',
  path: '/token/introspect',
  specifications: ['RFC 7662 §2', 'interface: POST /token/introspect'],
  advertisedAs: 'introspection_endpoint',
  statuses: [200, 400, 401, 403, 500, 503],
  errors: 'json',
  cors: 'configured',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
