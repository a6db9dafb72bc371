import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'global-token-revocation',
  method: 'POST',
  path: '/global-token-revocation',
  purpose: 'Ends all sessions, grants and tokens of a person, for a trusted party.',
  credentials: ['global-revocation-token'],
  content: { 'application/json': named('GlobalTokenRevocation') },
  answers: {
    204: { words: 'All sessions, grants and tokens of the person have ended. It has to sign in again.' },
  },
  specifications: ['draft-parecki-oauth-global-token-revocation-06 §3'],
  advertisedAs: 'global_token_revocation_endpoint',
  statuses: [204, 400, 401, 404, 500],
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token'],
  cors: 'none',
  body: 'json',
} as const satisfies Contract;
