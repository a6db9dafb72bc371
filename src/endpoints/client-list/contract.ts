import { named } from '../../spec/schemas.ts';
import { type Contract, queryOf } from '../contract.ts';

export const contract = {
  name: 'client-list',
  method: 'GET',
  path: '/clients',
  purpose: 'Lists all clients, or a page of them.',
  credentials: ['master-token'],
  parameters: queryOf(['limit', 'cursor']),
  answers: {
    200: {
      words: 'The clients. With `limit`, the `Link` header has the address of the next page (RFC 8288).',
      content: { 'application/json': { type: 'array', items: named('ClientInformation') } },
    },
  },
  specifications: ['interface: GET /clients'],
  statuses: [200, 400, 401, 403, 500],
  errors: 'bearer-challenge',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'configured',
  body: 'none',
} as const satisfies Contract;
