import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { SIGNED_PARAMETERS } from '../../grants/backchannel/signed-request.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'backchannel-authentication',
  method: 'POST',
  path: '/backchannel_authentication',
  purpose: 'Asks a person for a sign-in on another device.',
  credentials: ['client'],
  parameters: formOf([...SIGNED_PARAMETERS, 'request', ...AUTHENTICATION_PARAMETERS], {
    repeatable: ['resource'],
  }),
  answers: {
    200: {
      words: 'The identifier of the request, for the token endpoint.',
      content: { 'application/json': named('BackchannelAuthentication') },
    },
  },
  specifications: [
    'OpenID Connect CIBA Core 1.0 §7.1',
    'OpenID Connect CIBA Core 1.0 §7.3',
    'OpenID Connect CIBA Core 1.0 §13',
  ],
  advertisedAs: 'backchannel_authentication_endpoint',
  statuses: [200, 400, 401, 429, 500, 503],
  errors: 'json',
  refusals: [
    'invalid_request',
    'invalid_client',
    'unauthorized_client',
    'invalid_scope',
    'invalid_target',
    'invalid_authorization_details',
    'unknown_user_id',
    'invalid_binding_message',
    'temporarily_unavailable',
  ],
  cors: 'none',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
