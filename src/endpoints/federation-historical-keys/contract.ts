import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** Exists only with a federation. */
export const contract = {
  name: 'federation-historical-keys',
  method: 'GET',
  path: '/federation/historical-keys',
  purpose: 'Serves the federation keys that the server no longer uses.',
  credentials: ['none'],
  answers: {
    200: { words: 'The keys, as a signed JWT.', content: { 'application/jwk-set+jwt': TEXT } },
  },
  specifications: ['OpenID Federation 1.0 §8.7'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
