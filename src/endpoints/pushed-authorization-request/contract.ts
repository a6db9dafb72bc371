import type { Contract } from '../contract.ts';

export const contract = {
  name: 'pushed-authorization-request',
  method: 'POST',
  path: '/par',
  specifications: ['RFC 9126 §2'],
  advertisedAs: 'pushed_authorization_request_endpoint',
  statuses: [201, 400, 401, 429, 500, 503],
  errors: 'json',
  // RFC 9126 §2.3: errors of the authorisation endpoint have 400 here.
  errorStatuses: { invalid_trust_anchor: 400 },
  cors: 'configured',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
