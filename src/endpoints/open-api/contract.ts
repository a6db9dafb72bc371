import { OBJECT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** Exists only if the setting `openapi.enabled` is on, as in development. */
export const contract = {
  name: 'open-api',
  method: 'GET',
  path: '/openapi.json',
  purpose: 'Serves the description of the endpoints below this issuer.',
  credentials: ['none'],
  answers: {
    200: { words: 'The OpenAPI document.', content: { 'application/json': OBJECT } },
  },
  specifications: ['docs/adr/0069-api-description.md'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
