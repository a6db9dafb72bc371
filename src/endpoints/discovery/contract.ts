import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'openid-configuration',
  method: 'GET',
  path: '/.well-known/openid-configuration',
  purpose: 'Serves the metadata of the server.',
  credentials: ['none'],
  answers: {
    200: { words: 'The metadata.', content: { 'application/json': named('ProviderMetadata') } },
  },
  specifications: ['OpenID Connect Discovery 1.0 §4', 'RFC 8414 §3'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;

export const authorizationServerContract = {
  ...contract,
  name: 'oauth-authorization-server',
  path: '/.well-known/oauth-authorization-server',
} as const satisfies Contract;
