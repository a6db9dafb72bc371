import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'applications',
  method: 'GET',
  path: '/account/applications',
  purpose: 'Shows a signed-in end-user the applications that have access to the account.',
  credentials: ['none'],
  answers: { 200: { words: 'The page.', content: { 'text/html': TEXT } } },
  specifications: ['docs/operate/accounts.md'],
  statuses: [200, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

export const postContract = {
  name: 'applications-withdraw',
  method: 'POST',
  path: contract.path,
  purpose: 'Withdraws the access of one application: the consent and all grants for it end.',
  credentials: ['none'],
  parameters: formOf(['form_token', 'client_id']),
  answers: {
    303: { words: 'To the page, which no longer has the application.' },
  },
  specifications: contract.specifications,
  statuses: [303, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
