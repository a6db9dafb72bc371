import { TEXT } from '../../spec/json-schema.ts';
import { named } from '../../spec/schemas.ts';
import type { Contract } from '../contract.ts';

const PATH = '/ssf/streams';

const STREAM = {
  words: 'The stream.',
  content: { 'application/json': named('SecurityEventStream') },
} as const;

const COMMON = {
  path: PATH,
  credentials: ['receiver-token'],
  errors: 'problem',
  refusals: ['invalid_request', 'invalid_token', 'insufficient_scope'],
  cors: 'none',
} as const;

const STREAM_ID = { name: 'stream_id', in: 'query', words: 'The stream.', schema: TEXT } as const;

export const streamCreate = {
  ...COMMON,
  name: 'event-stream-create',
  method: 'POST',
  purpose: 'Makes a stream of security events for the calling client.',
  content: { 'application/json': named('StreamRequest') },
  answers: { 201: STREAM },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.1.1'],
  statuses: [201, 400, 401, 403, 409, 500],
  body: 'json',
} as const satisfies Contract;

export const streamRead = {
  ...COMMON,
  name: 'event-stream-read',
  method: 'GET',
  purpose: 'Reads a stream of the calling client, or all of them.',
  inputs: [{ ...STREAM_ID, words: 'The stream. Absent: all streams of the client.' }],
  answers: {
    200: {
      words: 'The stream; without `stream_id` a list.',
      content: { 'application/json': named('SecurityEventStreams') },
    },
  },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.1.2'],
  statuses: [200, 400, 401, 403, 404, 500],
  body: 'none',
} as const satisfies Contract;

export const streamUpdate = {
  ...COMMON,
  name: 'event-stream-update',
  method: 'PATCH',
  purpose: 'Changes members of a stream.',
  content: { 'application/json': named('StreamUpdate') },
  answers: { 200: STREAM },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.1.3'],
  statuses: [200, 400, 401, 403, 404, 409, 500],
  body: 'json',
} as const satisfies Contract;

export const streamReplace = {
  ...COMMON,
  name: 'event-stream-replace',
  method: 'PUT',
  purpose: 'Replaces what the client sets of a stream.',
  content: { 'application/json': named('StreamReplacement') },
  answers: { 200: STREAM },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.1.4'],
  statuses: [200, 400, 401, 403, 404, 409, 500],
  body: 'json',
} as const satisfies Contract;

export const streamDelete = {
  ...COMMON,
  name: 'event-stream-delete',
  method: 'DELETE',
  purpose: 'Deletes a stream with the events that wait in it.',
  inputs: [{ ...STREAM_ID, required: true }],
  answers: { 204: { words: 'The stream is gone.' } },
  specifications: ['OpenID Shared Signals Framework 1.0 §8.1.1.5'],
  statuses: [204, 400, 401, 403, 404, 500],
  body: 'none',
} as const satisfies Contract;
