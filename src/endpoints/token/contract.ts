import type { Contract } from '../contract.ts';

export const contract = {
  name: 'token',
  method: 'POST',
  path: '/token',
  specifications: [
    'RFC 6749 §3.2',
    'RFC 6749 §4.1.3',
    'RFC 6749 §4.3',
    'RFC 6749 §4.4',
    'RFC 6749 §5',
    'RFC 6749 §6',
    'RFC 7636 §4.5',
    'OpenID Connect Core 1.0 §3.1.3',
    'OpenID Connect Core 1.0 §12',
    'RFC 7522 §2.1',
    'RFC 7523 §2.1',
  ],
  advertisedAs: 'token_endpoint',
  statuses: [200, 400, 401, 429, 500, 503],
  errors: 'json',
  cors: 'any',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
