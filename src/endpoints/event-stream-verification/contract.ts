import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'event-stream-verification',
  method: 'POST',
  path: '/ssf/verify',
  purpose: 'Sends a verification event on a stream.',
  credentials: ['receiver-token'],
  content: { 'application/json': named('StreamVerification') },
  answers: { 204: { words: 'The event waits for its delivery.' } },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.4.2'],
  statuses: [204, 400, 401, 403, 404, 409, 429, 500],
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'none',
  body: 'json',
} as const satisfies Contract;
