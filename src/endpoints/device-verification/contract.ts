import { VERIFICATION_PATH } from '../../grants/device/device-authorization.ts';
import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf, queryOf } from '../contract.ts';

export const contract = {
  name: 'device-verification',
  method: 'GET',
  path: VERIFICATION_PATH,
  purpose: 'Shows the page where a person enters the code of a device.',
  credentials: ['none'],
  parameters: queryOf(['user_code']),
  answers: { 200: { words: 'The page.', content: { 'text/html': TEXT } } },
  specifications: ['RFC 8628 §3.3', 'RFC 8628 §3.3.1'],
  statuses: [200, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

export const postContract = {
  name: 'device-verification-post',
  method: 'POST',
  path: contract.path,
  purpose: 'Takes the code, and leads to sign-in and consent.',
  credentials: ['none'],
  parameters: formOf(['user_code', 'form_token']),
  answers: {
    200: { words: 'The page again: the code is not valid.', content: { 'text/html': TEXT } },
    303: { words: 'To the next page.' },
  },
  specifications: contract.specifications,
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
