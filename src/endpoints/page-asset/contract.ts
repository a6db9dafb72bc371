import { TEXT } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'page-asset',
  method: 'GET',
  path: '/assets/{id}',
  segments: { id: 'The name of the file.' },
  purpose: 'Serves a file of the pages.',
  credentials: ['none'],
  answers: {
    200: { words: 'The file.', content: { '*/*': TEXT } },
  },
  specifications: ['RFC 8246 §2'],
  statuses: [200, 404, 500],
  errors: 'json',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;
