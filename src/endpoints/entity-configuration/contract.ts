import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** Exists only with a federation. */
export const contract = {
  name: 'entity-configuration',
  method: 'GET',
  path: '/.well-known/openid-federation',
  purpose: 'Serves the entity configuration of the server.',
  credentials: ['none'],
  answers: {
    200: {
      words: 'The entity configuration, as a signed JWT.',
      content: { 'application/entity-statement+jwt': TEXT },
    },
  },
  specifications: ['OpenID Federation 1.0 §9'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
