import type { Contract } from '../contract.ts';

export const contract = {
  name: 'end-session',
  method: 'GET',
  path: '/logout',
  specifications: ['OpenID Connect RP-Initiated Logout 1.0 §2'],
  advertisedAs: 'end_session_endpoint',
  statuses: [200, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

/** "OpenID Providers MUST support the use of the HTTP GET and POST methods" (§2). */
export const formContract = {
  name: 'end-session-form',
  method: 'POST',
  path: '/logout',
  specifications: ['OpenID Connect RP-Initiated Logout 1.0 §2'],
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
