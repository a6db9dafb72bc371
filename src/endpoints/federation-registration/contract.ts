import type { Contract } from '../contract.ts';

/** The endpoint with a federation. */
export const contract = {
  name: 'federation-registration',
  method: 'POST',
  path: '/federation/clients',
  specifications: ['OpenID Federation 1.0 §12.2', 'interface: POST /federation/clients'],
  advertisedAs: 'federation_registration_endpoint',
  // 404 is invalid_trust_anchor of OpenID Federation 1.0 §8.9.
  statuses: [200, 400, 401, 404, 429, 500, 503],
  errors: 'json',
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
  specifications: contract.specifications,
  statuses: [400, 500],
  errors: 'json',
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;
