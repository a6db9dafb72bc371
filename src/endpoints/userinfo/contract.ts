import type { Contract } from '../contract.ts';

export const contract = {
  name: 'userinfo',
  method: 'GET',
  path: '/userinfo',
  specifications: ['OpenID Connect Core 1.0 §5.3', 'RFC 6750 §2.1'],
  advertisedAs: 'userinfo_endpoint',
  statuses: [200, 400, 401, 403, 500, 503],
  errors: 'bearer-challenge',
  cors: 'any',
  body: 'none',
  certificates: true,
} as const satisfies Contract;

/** OpenID Connect Core 1.0 §5.3: "The UserInfo Endpoint MUST support the use of the HTTP GET and HTTP POST methods". */
export const postContract = {
  name: 'userinfo-post',
  method: 'POST',
  path: contract.path,
  specifications: [...contract.specifications, 'RFC 6750 §2.2'],
  statuses: contract.statuses,
  errors: 'bearer-challenge',
  cors: 'any',
  body: 'form',
} as const satisfies Contract;
