import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'direct-authorization',
  method: 'POST',
  path: '/direct-authz/rest/v2',
  purpose: 'Issues tokens for a subject and scope values without asking the end-user.',
  credentials: ['direct-authorization-token'],
  content: { 'application/json': named('DirectAuthorization') },
  answers: {
    200: { words: 'The tokens.', content: { 'application/json': named('TokenResponse') } },
  },
  specifications: ['interface: Authentication 1', 'RFC 6749 §5.1 (response)'],
  statuses: [200, 400, 401, 403, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_request', 'invalid_target', 'invalid_token', 'insufficient_scope'],
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
