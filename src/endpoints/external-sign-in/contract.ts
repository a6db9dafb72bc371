import type { Contract } from '../contract.ts';

export const contract = {
  name: 'external-sign-in',
  method: 'GET',
  path: '/interaction-api/{id}',
  specifications: ['docs/sign-in.md', 'OpenID Connect Core 1.0 §3.1.2.3'],
  statuses: [200, 401, 404, 500],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

export const outcomeContract = {
  name: 'external-sign-in-outcome',
  method: 'POST',
  path: contract.path,
  specifications: ['docs/sign-in.md', 'OpenID Connect Core 1.0 §3.1.2.3', 'OpenID Connect Core 1.0 §3.1.2.4'],
  statuses: [200, 400, 401, 404, 500],
  errors: 'bearer-challenge',
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
