import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

const COMMON = {
  method: 'POST',
  credentials: ['receiver-token'],
  content: { 'application/json': named('StreamSubject') },
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'none',
  body: 'json',
} as const;

export const subjectAdd = {
  ...COMMON,
  name: 'event-stream-subject-add',
  path: '/ssf/subjects/add',
  purpose: 'Takes a subject into a stream again that was left out.',
  answers: { 200: { words: 'Events about the subject come, if there are any.' } },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.3.2'],
  statuses: [200, 400, 401, 403, 404, 500],
} as const satisfies Contract;

export const subjectRemove = {
  ...COMMON,
  name: 'event-stream-subject-remove',
  path: '/ssf/subjects/remove',
  purpose: 'Leaves a subject out of a stream.',
  answers: { 204: { words: 'No events about the subject come, whether or not the server knows it.' } },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.3.3'],
  statuses: [204, 400, 401, 403, 404, 409, 500],
} as const satisfies Contract;
