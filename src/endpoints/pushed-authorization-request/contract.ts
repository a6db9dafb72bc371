import type { Contract } from '../contract.ts';

export const contract = {
  name: 'pushed-authorization-request',
  method: 'POST',
  path: '/par',
  specifications: ['RFC 9126 §2'],
  advertisedAs: 'pushed_authorization_request_endpoint',
  statuses: [201, 400, 401, 429, 500, 503],
  errors: 'json',
  cors: 'configured',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
