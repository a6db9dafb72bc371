import { LOGOUT_PARAMETERS } from '../../sessions/logout-request.ts';
import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf, queryOf } from '../contract.ts';

export const contract = {
  name: 'end-session',
  method: 'GET',
  path: '/logout',
  purpose: 'Shows the page that asks the end-user whether to sign out.',
  credentials: ['none'],
  parameters: queryOf([...LOGOUT_PARAMETERS]),
  answers: {
    200: { words: 'The page.', content: { 'text/html': TEXT } },
  },
  specifications: ['OpenID Connect RP-Initiated Logout 1.0 §2'],
  advertisedAs: 'end_session_endpoint',
  statuses: [200, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

/** "OpenID Providers MUST support the use of the HTTP GET and POST methods" (§2). */
export const formContract = {
  name: 'end-session-form',
  method: 'POST',
  path: '/logout',
  purpose: 'Does the same for a form.',
  credentials: ['none'],
  parameters: formOf([...LOGOUT_PARAMETERS]),
  answers: {
    200: { words: 'The page.', content: { 'text/html': TEXT } },
    303: { words: 'To the same page, because the form of another site brings no cookies.' },
  },
  specifications: ['OpenID Connect RP-Initiated Logout 1.0 §2'],
  statuses: [200, 303, 400, 429, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
