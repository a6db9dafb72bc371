import { AUTHENTICATION_PARAMETERS } from '../../clients/client-authentication/method.ts';
import { said, TEXT } from '../../spec/json-schema.ts';
import { type Contract, formOf } from '../contract.ts';

export const contract = {
  name: 'revocation-feed',
  method: 'POST',
  path: '/token/revocations',
  purpose:
    'Follows the revocations: sends each end of a token before its expiry, and each change of clients and keys, as it is committed (server-sent events).',
  credentials: ['client', 'introspection-token'],
  parameters: formOf(['cursor', ...AUTHENTICATION_PARAMETERS]),
  inputs: [
    {
      name: 'Last-Event-ID',
      in: 'header',
      words: 'The same as `cursor`, for readers that send it by themselves. The parameter comes first.',
      schema: TEXT,
    },
  ],
  answers: {
    200: {
      words:
        'A stream without end. The data of each `revocations` event is a signed JWT, and `end` says why the stream ends.',
      content: { 'text/event-stream': said('Events, each with its cursor as `id`.', TEXT) },
    },
  },
  specifications: ['docs/operate/resource-servers.md'],
  advertisedAs: 'chancery_revocation_feed_endpoint',
  statuses: [200, 400, 401, 403, 429, 500, 503],
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
  cors: 'none',
  body: 'form',
  certificates: true,
} as const satisfies Contract;
