import type { Contract } from '../contract.ts';

export const contract = {
  name: 'revocation',
  method: 'POST',
  path: '/token/revoke',
  specifications: ['RFC 7009 §2'],
  advertisedAs: 'revocation_endpoint',
  statuses: [200, 400, 401, 500, 503],
  errors: 'json',
  cors: 'any',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
