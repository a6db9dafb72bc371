import type { Contract } from '../contract.ts';

export const contract = {
  name: 'direct-authorization',
  method: 'POST',
  path: '/direct-authz/rest/v2',
  specifications: ['interface: Authentication 1', 'RFC 6749 §5.1 (response)'],
  statuses: [200, 400, 401, 403, 500],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
