import type { Contract } from '../contract.ts';

/** Exists only with a federation. */
export const contract = {
  name: 'entity-configuration',
  method: 'GET',
  path: '/.well-known/openid-federation',
  specifications: ['OpenID Federation 1.0 §9'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
