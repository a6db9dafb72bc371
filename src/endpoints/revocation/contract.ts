import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'revocation',
  method: 'POST',
  path: '/token/revoke',
  purpose: 'Revokes an access token or a refresh token.',
  credentials: ['client'],
  parameters: formOf(['token', 'token_type_hint', ...AUTHENTICATION_PARAMETERS], { required: ['token'] }),
  answers: {
    200: { words: 'The token is not valid, whether or not it was before.' },
  },
  specifications: ['RFC 7009 §2'],
  advertisedAs: 'revocation_endpoint',
  statuses: [200, 400, 401, 500, 503],
  errors: 'json',
  refusals: ['invalid_request', 'invalid_client', 'invalid_grant'],
  cors: 'any',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
