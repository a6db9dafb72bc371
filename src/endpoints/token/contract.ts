import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { GRANTS } from '../../grants/grants.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'token',
  method: 'POST',
  path: '/token',
  purpose: 'Issues access tokens for a grant.',
  credentials: ['client'],
  parameters: formOf(
    ['grant_type', 'resource', ...AUTHENTICATION_PARAMETERS, ...GRANTS.flatMap((grant) => grant.parameters)],
    { required: ['grant_type'], repeatable: ['resource', 'audience'] },
  ),
  answers: {
    200: { words: 'The tokens.', content: { 'application/json': named('TokenResponse') } },
  },
  specifications: [
    'RFC 6749 §3.2',
    'RFC 6749 §4.1.3',
    'RFC 6749 §4.3',
    'RFC 6749 §4.4',
    'RFC 6749 §5',
    'RFC 6749 §6',
    'RFC 7636 §4.5',
    'OpenID Connect Core 1.0 §3.1.3',
    'OpenID Connect Core 1.0 §12',
    'RFC 7522 §2.1',
    'RFC 7523 §2.1',
    'RFC 8628 §3.4',
    'RFC 8693 §2',
    'RFC 9396 §6',
    'RFC 9449 §5',
  ],
  advertisedAs: 'token_endpoint',
  statuses: [200, 400, 401, 429, 500, 503],
  errors: 'json',
  refusals: [
    'invalid_request',
    'invalid_client',
    'invalid_grant',
    'unauthorized_client',
    'unsupported_grant_type',
    'invalid_scope',
    'invalid_target',
    'invalid_authorization_details',
    'invalid_dpop_proof',
    'use_dpop_nonce',
    'authorization_pending',
    'slow_down',
    'expired_token',
    'access_denied',
  ],
  // RFC 8628 §3.5: the errors of devices are those of RFC 6749 §5.2, with 400.
  errorStatuses: { access_denied: 400 },
  cors: 'any',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
