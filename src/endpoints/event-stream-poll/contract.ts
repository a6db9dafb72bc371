import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

export const contract = {
  name: 'event-stream-poll',
  method: 'POST',
  path: '/ssf/poll/{stream_id}',
  segments: { stream_id: 'The identifier of the stream.' },
  purpose: 'Takes the answers to earlier events, and returns the oldest that wait.',
  credentials: ['receiver-token'],
  content: { 'application/json': named('PollRequest') },
  answers: {
    200: { words: 'The events.', content: { 'application/json': named('PollAnswer') } },
  },
  specifications: ['RFC 8936 §2'],
  statuses: [200, 400, 401, 403, 404, 500],
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'none',
  body: 'json',
} as const satisfies Contract;
