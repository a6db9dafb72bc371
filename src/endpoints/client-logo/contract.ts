import type { Contract } from '../contract.ts';
import { LOGO_PATH } from '../page-logo.ts';

export const contract = {
  name: 'client-logo',
  method: 'GET',
  path: `${LOGO_PATH}/{id}`,
  specifications: ['OpenID Connect Dynamic Client Registration 1.0 §2'],
  statuses: [200, 404, 500],
  errors: 'json',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;
