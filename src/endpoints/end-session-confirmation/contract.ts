import type { Contract } from '../contract.ts';

export const contract = {
  name: 'end-session-confirmation',
  method: 'POST',
  path: '/logout/{id}',
  specifications: [
    'OpenID Connect RP-Initiated Logout 1.0 §2, §3',
    'OpenID Connect Back-Channel Logout 1.0 §2.5',
  ],
  statuses: [200, 303, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
