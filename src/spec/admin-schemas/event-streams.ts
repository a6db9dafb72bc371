import { closed, type Schema, said, TEXT, TEXTS, WEB_ADDRESS } from '../json-schema.ts';
import { STREAM_STATUSES } from '../security-events.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const COUNT: Schema = { type: 'integer', minimum: 0 };
const TEXT_OR_NONE: Schema = { anyOf: [TEXT, { type: 'null' }] };

/** Streams of security events in the administration API. */
export const ADMIN_EVENT_STREAM_SCHEMAS = {
  EventStream: said(
    'A stream of security events of a client.',
    closed({
      id: TEXT,
      client_id: TEXT,
      issuer: WEB_ADDRESS,
      status: { enum: STREAM_STATUSES },
      reason: said('Why the stream has this status.', TEXT_OR_NONE),
      method: { enum: ['push', 'poll'] },
      endpoint_url: said(
        'Where events are pushed, without the query. Null for a stream that is polled.',
        TEXT_OR_NONE,
      ),
      description: TEXT_OR_NONE,
      events: said('The kinds of events that the client asked for.', TEXTS),
      held: said('Events in the outbox: those that wait, and those that failed.', COUNT),
      held_max: COUNT,
      delivered: COUNT,
      delivered_at: TIME_OR_NEVER,
      attempts: said('How often the oldest event was tried.', COUNT),
      attempted_at: TIME_OR_NEVER,
      problem: said('Why the last attempt failed.', TEXT_OR_NONE),
      created_at: TIME,
      updated_at: TIME,
    }),
  ),
  HeldSecurityEvent: said(
    'A security event that failed. Its content is not shown.',
    closed({
      id: said('Its number in the stream.', TEXT),
      type: WEB_ADDRESS,
      state: { enum: ['waiting', 'failed'] },
      at: TIME_OR_NEVER,
      attempted_at: TIME_OR_NEVER,
      problem: TEXT_OR_NONE,
    }),
  ),
  EventCount: said('How many events were concerned.', closed({ events: COUNT })),
} as const satisfies Readonly<Record<string, Schema>>;
