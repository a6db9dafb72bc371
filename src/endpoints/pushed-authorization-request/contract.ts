import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import {
  AUTHORIZATION_PARAMETERS,
  REPEATABLE_PARAMETERS,
} from '../../grants/authorization/authorization-parameters.ts';
import { named } from '../../spec/schemas.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'pushed-authorization-request',
  method: 'POST',
  path: '/par',
  purpose: 'Receives an authorisation request directly from its client.',
  credentials: ['client'],
  parameters: formOf([...new Set([...AUTHORIZATION_PARAMETERS, ...AUTHENTICATION_PARAMETERS])], {
    repeatable: [...REPEATABLE_PARAMETERS],
  }),
  answers: {
    201: {
      words: 'The reference of the request, for the authorisation endpoint.',
      content: { 'application/json': named('PushedAuthorization') },
    },
  },
  specifications: ['RFC 9126 §2', 'RFC 9449 §10.1'],
  advertisedAs: 'pushed_authorization_request_endpoint',
  statuses: [201, 400, 401, 429, 500, 503],
  errors: 'json',
  // RFC 9126 §2.3: errors of the authorisation endpoint have 400 here.
  errorStatuses: { invalid_trust_anchor: 400 },
  refusals: [
    'invalid_request',
    'invalid_client',
    'unauthorized_client',
    'invalid_scope',
    'invalid_target',
    'invalid_authorization_details',
    'unsupported_response_type',
    'invalid_request_object',
    'invalid_request_uri',
    'request_uri_not_supported',
    'registration_not_supported',
    'unmet_authentication_requirements',
    'invalid_trust_chain',
    'invalid_trust_anchor',
    'invalid_metadata',
    // A trusted entity whose metadata cannot be registered (OpenID Federation 1.0 §12.1).
    'invalid_client_metadata',
    'invalid_redirect_uri',
    'invalid_dpop_proof',
    'use_dpop_nonce',
  ],
  cors: 'configured',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
