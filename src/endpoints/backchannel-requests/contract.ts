import { REQUESTS_PATH } from '../../grants/backchannel/backchannel-request.ts';
import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'backchannel-requests',
  method: 'GET',
  path: REQUESTS_PATH,
  purpose: 'Shows a person the requests of clients without a browser that wait for an answer.',
  credentials: ['none'],
  answers: { 200: { words: 'The page, or the sign-in page.', content: { 'text/html': TEXT } } },
  specifications: ['OpenID Connect CIBA Core 1.0 §8', 'docs/operate/backchannel-authentication.md'],
  statuses: [200, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

export const postContract = {
  name: 'backchannel-requests-post',
  method: 'POST',
  path: contract.path,
  purpose:
    'Leads to the page about one request, refuses it, or blocks or unblocks its client; or signs the person in.',
  credentials: ['none'],
  parameters: formOf(['choice', 'form_token', 'request_id', 'client_id', 'username', 'password']),
  answers: {
    200: { words: 'The sign-in page again.', content: { 'text/html': TEXT } },
    303: { words: 'To the next page.' },
  },
  specifications: contract.specifications,
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
