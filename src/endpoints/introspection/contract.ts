import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { TEXT } from '../../spec/json-schema.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'introspection',
  method: 'POST',
  path: '/token/introspect',
  purpose: 'Says whether a token is active, and what it permits.',
  credentials: ['client', 'introspection-token'],
  parameters: formOf(['token', 'token_type_hint', ...AUTHENTICATION_PARAMETERS], { required: ['token'] }),
  answers: {
    200: {
      words: 'The state of the token, as JSON or as the signed JWT that `Accept` names (RFC 9701 §5).',
      content: {
        'application/json': named('TokenIntrospection'),
        'application/token-introspection+jwt': TEXT,
        'application/jwt': TEXT,
      },
    },
  },
  specifications: ['RFC 7662 §2', 'RFC 9449 §6.2', 'interface: POST /token/introspect'],
  advertisedAs: 'introspection_endpoint',
  statuses: [200, 400, 401, 403, 500, 503],
  errors: 'json',
  refusals: [
    'invalid_request',
    'invalid_client',
    'access_denied',
    'invalid_token',
    'invalid_dpop_proof',
    'use_dpop_nonce',
  ],
  errorStatuses: { invalid_dpop_proof: 401, use_dpop_nonce: 401 },
  cors: 'configured',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
