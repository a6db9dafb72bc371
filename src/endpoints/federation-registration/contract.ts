import type { Contract } from '../contract.ts';

export const contract = {
  name: 'federation-registration',
  method: 'POST',
  path: '/federation/clients',
  specifications: ['OpenID Federation 1.0 §12.2', 'interface: POST /federation/clients'],
  statuses: [400, 500],
  errors: 'json',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;
