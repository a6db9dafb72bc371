import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'end-session-confirmation',
  method: 'POST',
  path: '/logout/{id}',
  segments: { id: 'The handle of the waiting logout.' },
  purpose: 'Carries out the choice of the end-user on the logout page, once.',
  credentials: ['none'],
  parameters: formOf(['form_token', 'choice']),
  answers: {
    200: { words: 'The end-user is signed out.', content: { 'text/html': TEXT } },
    303: { words: 'Back to the client.' },
  },
  specifications: [
    'OpenID Connect RP-Initiated Logout 1.0 §2, §3',
    'OpenID Connect Back-Channel Logout 1.0 §2.5',
  ],
  statuses: [200, 303, 400, 500],
  errors: 'page',
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
