import type { Contract } from '../contract.ts';

export const contract = {
  name: 'interaction',
  method: 'GET',
  path: '/interaction/{id}',
  specifications: ['OpenID Connect Core 1.0 §3.1.2.3', 'OpenID Connect Core 1.0 §3.1.2.4'],
  statuses: [200, 303, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

export const postContract = {
  name: 'interaction-post',
  method: 'POST',
  path: contract.path,
  specifications: contract.specifications,
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
