import { TEXT } from '../../spec/json-schema.ts';
import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

const COMMON = {
  path: '/ssf/status',
  credentials: ['receiver-token'],
  answers: {
    200: { words: 'The status.', content: { 'application/json': named('StreamStatus') } },
  },
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'none',
} as const;

export const statusRead = {
  ...COMMON,
  name: 'event-stream-status-read',
  method: 'GET',
  purpose: 'Reads the status of a stream.',
  inputs: [{ name: 'stream_id', in: 'query', words: 'The stream.', schema: TEXT, required: true }],
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.2.1'],
  statuses: [200, 400, 401, 403, 404, 500],
  body: 'none',
} as const satisfies Contract;

export const statusUpdate = {
  ...COMMON,
  name: 'event-stream-status-update',
  method: 'POST',
  purpose: 'Enables, pauses or disables a stream.',
  content: { 'application/json': named('StreamStatusRequest') },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.2.2'],
  statuses: [200, 400, 401, 403, 404, 409, 500],
  body: 'json',
} as const satisfies Contract;
