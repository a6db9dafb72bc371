import {
  AUTHORIZATION_PARAMETERS,
  REPEATABLE_PARAMETERS,
} from '../../grants/authorization/authorization-parameters.ts';
import { TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf, queryOf } from '../contract.ts';

export const contract = {
  name: 'authorization',
  method: 'GET',
  path: '/authorize',
  purpose: 'Begins a sign-in: the browser brings the authorisation request of a client.',
  credentials: ['none'],
  parameters: queryOf([...AUTHORIZATION_PARAMETERS], { repeatable: [...REPEATABLE_PARAMETERS] }),
  answers: {
    200: { words: 'A page that posts the response to the client.', content: { 'text/html': TEXT } },
    303: { words: 'To the pages of this server, or back to the client with the response.' },
  },
  specifications: [
    'RFC 6749 §3.1',
    'OpenID Connect Core 1.0 §3.1.2',
    'OpenID Connect Core 1.0 §3.2.2',
    'OpenID Connect Core 1.0 §3.3.2',
    'RFC 9101 §5',
    'RFC 9126 §4',
    'RFC 9207 §2',
    'RFC 9396 §3',
    'JARM §2',
  ],
  advertisedAs: 'authorization_endpoint',
  statuses: [200, 303, 400, 429, 500, 503],
  errors: 'page',
  // A page for a person has no challenge, which 401 would need.
  errorStatuses: { invalid_client: 400, invalid_trust_anchor: 400 },
  cors: 'none',
  body: 'none',
} as const satisfies Contract;

/** OpenID Connect Core 1.0 §3.1.2.1: "Authorization Servers MUST support the use of the HTTP GET and POST methods". */
export const postContract = {
  name: 'authorization-post',
  method: 'POST',
  path: contract.path,
  purpose: 'Does the same for a form.',
  credentials: ['none'],
  parameters: formOf([...AUTHORIZATION_PARAMETERS], { repeatable: [...REPEATABLE_PARAMETERS] }),
  answers: contract.answers,
  specifications: contract.specifications,
  statuses: contract.statuses,
  errors: 'page',
  errorStatuses: contract.errorStatuses,
  cors: 'none',
  body: 'form',
} as const satisfies Contract;
