import { named } from '../../spec/schemas.ts';
import { type Contract, queryOf } from '../contract.ts';

const SEGMENTS = { id: 'The `id` of the request, from the list.' };
const SPECIFICATIONS = [
  'docs/operate/backchannel-authentication.md',
  'OpenID Connect CIBA Core 1.0 §8',
] as const;

export const contract = {
  name: 'backchannel-api',
  method: 'GET',
  path: '/backchannel-api',
  purpose: 'Lists the requests that wait for a person, for the sign-in page of the operator.',
  credentials: ['sign-in-page-token'],
  parameters: queryOf(['subject'], { required: ['subject'] }),
  answers: {
    200: {
      words: 'The requests, the oldest first.',
      content: { 'application/json': named('BackchannelRequests') },
    },
  },
  specifications: SPECIFICATIONS,
  statuses: [200, 400, 401, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_request', 'invalid_token'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

export const outcomeContract = {
  name: 'backchannel-api-outcome',
  method: 'POST',
  path: '/backchannel-api/{id}',
  segments: SEGMENTS,
  purpose: 'Takes the answer of a person from the sign-in page of the operator, once.',
  credentials: ['sign-in-page-token'],
  content: { 'application/json': named('BackchannelOutcome') },
  answers: {
    200: { words: 'The answer counts.', content: { 'application/json': named('BackchannelDecision') } },
  },
  specifications: SPECIFICATIONS,
  statuses: [200, 400, 401, 404, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_request', 'invalid_token'],
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
