import { TEXT } from '../../spec/json-schema.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'userinfo',
  method: 'GET',
  path: '/userinfo',
  purpose: 'Returns claims about the end-user of an access token.',
  credentials: ['access-token'],
  answers: {
    200: {
      words: 'The claims, as JSON or as the JWT that the client registered.',
      content: { 'application/json': named('Userinfo'), 'application/jwt': TEXT },
    },
  },
  specifications: ['OpenID Connect Core 1.0 §5.3', 'RFC 6750 §2.1', 'RFC 9449 §7.1'],
  advertisedAs: 'userinfo_endpoint',
  statuses: [200, 400, 401, 403, 500, 503],
  errors: 'bearer-challenge',
  refusals: [
    'invalid_request',
    'invalid_token',
    'insufficient_scope',
    'invalid_dpop_proof',
    'use_dpop_nonce',
  ],
  errorStatuses: { invalid_dpop_proof: 401, use_dpop_nonce: 401 },
  cors: 'any',
  body: 'none',
  certificates: true,
} as const satisfies Contract;

/** OpenID Connect Core 1.0 §5.3: "The UserInfo Endpoint MUST support the use of the HTTP GET and HTTP POST methods". */
export const postContract = {
  name: 'userinfo-post',
  method: 'POST',
  path: contract.path,
  purpose: 'Does the same for a form, which may hold the access token.',
  credentials: ['access-token', 'none'],
  parameters: formOf(['access_token']),
  answers: contract.answers,
  specifications: [...contract.specifications, 'RFC 6750 §2.2'],
  statuses: contract.statuses,
  errors: 'bearer-challenge',
  refusals: contract.refusals,
  errorStatuses: contract.errorStatuses,
  cors: 'any',
  body: 'form',
} as const satisfies Contract;
