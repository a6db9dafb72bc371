import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf, queryOf } from '../contract.ts';

export const contract = {
  name: 'interaction',
  method: 'GET',
  path: '/interaction/{id}',
  segments: { id: 'The handle of the waiting request.' },
  purpose: 'Shows the sign-in page or the consent page of a waiting request.',
  credentials: ['none'],
  parameters: queryOf(['outcome']),
  answers: {
    200: { words: 'The page.', content: { 'text/html': TEXT } },
    303: { words: 'Back to the client, or to the sign-in page of the operator.' },
  },
  specifications: ['OpenID Connect Core 1.0 §3.1.2.3', 'OpenID Connect Core 1.0 §3.1.2.4'],
  statuses: [200, 303, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

export const postContract = {
  name: 'interaction-post',
  method: 'POST',
  path: contract.path,
  segments: { id: 'The handle of the waiting request.' },
  purpose: 'Takes the choice of the end-user on such a page.',
  credentials: ['none'],
  parameters: formOf(['form_token', 'choice', 'username', 'password']),
  answers: {
    200: { words: 'The page again, with what is wrong.', content: { 'text/html': TEXT } },
    303: { words: 'To the next page, or back to the client.' },
  },
  specifications: contract.specifications,
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
