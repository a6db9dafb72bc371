import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'signals-configuration',
  method: 'GET',
  path: '/.well-known/ssf-configuration',
  purpose: 'Serves the metadata of the transmitter of security events.',
  credentials: ['none'],
  answers: {
    200: { words: 'The metadata.', content: { 'application/json': named('TransmitterConfiguration') } },
  },
  specifications: ['OpenID Shared Signals Framework 1.0 §7.2'],
  statuses: [200, 500],
  errors: 'json',
  cors: 'any',
  body: 'none',
} as const satisfies Contract;
