import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'external-sign-in',
  method: 'GET',
  path: '/interaction-api/{id}',
  segments: { id: 'The handle of the waiting request, from the address of the page.' },
  purpose: 'Describes a waiting request to the sign-in page of the operator.',
  credentials: ['sign-in-page-token'],
  answers: {
    200: { words: 'The request.', content: { 'application/json': named('SignInRequest') } },
  },
  specifications: ['docs/sign-in.md', 'OpenID Connect Core 1.0 §3.1.2.3'],
  statuses: [200, 401, 404, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_token'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;

export const outcomeContract = {
  name: 'external-sign-in-outcome',
  method: 'POST',
  path: contract.path,
  segments: { id: 'The handle of the waiting request, from the address of the page.' },
  purpose: 'Takes the outcome of a sign-in from the page of the operator, once.',
  credentials: ['sign-in-page-token'],
  content: { 'application/json': named('SignInOutcome') },
  answers: {
    200: {
      words: 'The address for the browser.',
      content: { 'application/json': named('SignInRedirection') },
    },
  },
  specifications: ['docs/sign-in.md', 'OpenID Connect Core 1.0 §3.1.2.3', 'OpenID Connect Core 1.0 §3.1.2.4'],
  statuses: [200, 400, 401, 404, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_request', 'invalid_token'],
  cors: 'configured',
  body: 'json',
} as const satisfies Contract;
