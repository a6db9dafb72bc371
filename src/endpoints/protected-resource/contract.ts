import { closed, FLAG, said, TEXTS, WEB_ADDRESS } from '../../spec/json-schema.ts';
import { PROTECTED_RESOURCE_PATH } from '../../spec/protected-resource.ts';
import type { Contract } from '../contract.ts';

const described = {
  method: 'GET',
  credentials: ['none'],
  answers: {
    200: {
      words: 'The metadata.',
      content: {
        'application/json': closed(
          {
            resource: said(
              'The identifier of the resource, for the parameter `resource` (RFC 8707).',
              WEB_ADDRESS,
            ),
            authorization_servers: { type: 'array', items: WEB_ADDRESS },
            scopes_supported: TEXTS,
            bearer_methods_supported: TEXTS,
            dpop_signing_alg_values_supported: TEXTS,
            tls_client_certificate_bound_access_tokens: FLAG,
          },
          ['resource', 'authorization_servers', 'scopes_supported', 'bearer_methods_supported'],
        ),
      },
    },
  },
  specifications: ['RFC 9728 §3'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Partial<Contract>;

export const contract = {
  ...described,
  name: 'protected-resource-userinfo',
  path: `${PROTECTED_RESOURCE_PATH}/userinfo`,
  purpose: 'Says how to get a token for the UserInfo endpoint.',
} as const satisfies Contract;

/** Exists only where the administration stands on the main listener. */
export const administrationContract = {
  ...described,
  name: 'protected-resource-administration',
  path: `${PROTECTED_RESOURCE_PATH}/admin/v1`,
  purpose: 'Says how to get a token for the administration API.',
} as const satisfies Contract;
