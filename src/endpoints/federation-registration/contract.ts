import { TEXT, TEXTS } from '../../spec/json-schema.ts';
import type { Contract } from '../contract.ts';

/** The endpoint with a federation. */
export const contract = {
  name: 'federation-registration',
  method: 'POST',
  path: '/federation/clients',
  purpose: 'Registers a relying party that a federation vouches for.',
  credentials: ['none'],
  content: {
    'application/jose': TEXT,
    'application/entity-statement+jwt': TEXT,
    'application/trust-chain+json': TEXTS,
  },
  answers: {
    200: {
      words: 'The registration, as a signed statement.',
      content: { 'application/jose': TEXT, 'application/explicit-registration-response+jwt': TEXT },
    },
  },
  specifications: ['OpenID Federation 1.0 §12.2', 'interface: POST /federation/clients'],
  advertisedAs: 'federation_registration_endpoint',
  // 404 is invalid_trust_anchor of OpenID Federation 1.0 §8.9.
  statuses: [200, 400, 401, 404, 429, 500, 503],
  errors: 'json',
  refusals: [
    'invalid_request',
    'invalid_redirect_uri',
    'invalid_client_metadata',
    'invalid_trust_chain',
    'invalid_trust_anchor',
    'invalid_metadata',
    'invalid_client',
    'unauthorized_client',
    // Without a federation. A description for every server names it too.
    'federation_not_enabled',
  ],
  // The interface: "invalid entity statement signature or failed trust chain resolution" is 401.
  errorStatuses: { unauthorized_client: 401 },
  cors: 'configured',
  body: 'statement',
} as const satisfies Contract;

/** The endpoint without a federation, which reads no body (decision 37). */
export const disabledContract = {
  name: contract.name,
  method: contract.method,
  path: contract.path,
  purpose: 'Refuses every request: the federation is off.',
  credentials: ['none'],
  answers: {},
  specifications: contract.specifications,
  statuses: [400, 500],
  errors: 'json',
  refusals: ['federation_not_enabled'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;
