import type { Contract } from '../contract.ts';

export const contract = {
  name: 'jwk-set',
  method: 'GET',
  path: '/jwks.json',
  specifications: ['RFC 7517 §5', 'interface: GET /jwks.json'],
  advertisedAs: 'jwks_uri',
  statuses: [200, 304, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
