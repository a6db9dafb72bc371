import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'jwk-set',
  method: 'GET',
  path: '/jwks.json',
  purpose: 'Serves the public keys of the server.',
  credentials: ['none'],
  answers: {
    200: { words: 'The keys.', content: { 'application/json': named('JwkSet') } },
    304: { words: 'The keys are still those of `If-None-Match`.' },
  },
  specifications: ['RFC 7517 §5', 'interface: GET /jwks.json'],
  advertisedAs: 'jwks_uri',
  statuses: [200, 304, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
