import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';
import { LOGO_PATH } from '../page-logo.ts';

export const contract = {
  name: 'client-logo',
  method: 'GET',
  path: `${LOGO_PATH}/{id}`,
  segments: { id: 'A part of the address that a page names.' },
  purpose: 'Serves the logo of a client for the pages.',
  credentials: ['none'],
  answers: {
    200: { words: 'The image.', content: { 'image/*': TEXT } },
  },
  specifications: ['OpenID Connect Dynamic Client Registration 1.0 §2'],
  statuses: [200, 404, 500],
  errors: 'json',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;
