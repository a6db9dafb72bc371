import { closed, type Schema, SECONDS, said, TEXT, TEXTS, WEB_ADDRESS } from './json-schema.ts';
import { DELIVERY_METHODS, STREAM_STATUSES } from './security-events.ts';

const STREAM_ID = said('The identifier of the stream.', { type: 'string', minLength: 1, maxLength: 64 });

/** An object that may have members that this server does not know: it passes over them. */
const open = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});

const DELIVERY = said(
  'How the events come. Absent: the client polls (`urn:ietf:rfc:8936`), at an address that the server gives.',
  open(
    {
      method: { type: 'string', maxLength: 100 },
      endpoint_url: said('Where events are pushed.', { type: 'string', minLength: 1, maxLength: 2048 }),
      authorization_header: said('The value of the `Authorization` header of each push.', {
        type: 'string',
        maxLength: 2048,
      }),
    },
    ['method'],
  ),
);

const RECEIVER_SUPPLIED = {
  events_requested: said('Event types. Those that the server does not know are passed over. Absent: all.', {
    type: 'array',
    items: { type: 'string', maxLength: 500 },
    maxItems: 100,
  }),
  delivery: DELIVERY,
  description: said('For people. Cut after 500 characters.', { type: 'string', maxLength: 5000 }),
} as const;

const STATUS = said('`paused` holds events; `disabled` drops them.', { enum: STREAM_STATUSES });
const REASON = said('Why. Cut after 500 characters.', { type: 'string', maxLength: 5000 });
const SUBJECT = said('A subject identifier (RFC 9493), or a complex subject.', { type: 'object' });

const STREAM = closed(
  {
    stream_id: TEXT,
    iss: WEB_ADDRESS,
    aud: said('The client, as the events name it.', TEXT),
    events_supported: TEXTS,
    events_requested: TEXTS,
    events_delivered: TEXTS,
    delivery: closed(
      {
        method: { enum: Object.values(DELIVERY_METHODS) },
        endpoint_url: WEB_ADDRESS,
        authorization_header: TEXT,
      },
      ['method', 'endpoint_url'],
    ),
    min_verification_interval: said('Seconds between two verifications.', SECONDS),
    description: TEXT,
  },
  [
    'stream_id',
    'iss',
    'aud',
    'events_supported',
    'events_delivered',
    'delivery',
    'min_verification_interval',
  ],
);

/** Bodies of the management of event streams (OpenID Shared Signals Framework 1.0 §7, §8) and of polls (RFC 8936 §2). */
export const SIGNAL_SCHEMAS = {
  TransmitterConfiguration: said(
    'OpenID Shared Signals Framework 1.0 §7.1.',
    closed({
      spec_version: { const: '1_0' },
      issuer: WEB_ADDRESS,
      jwks_uri: WEB_ADDRESS,
      delivery_methods_supported: TEXTS,
      configuration_endpoint: WEB_ADDRESS,
      status_endpoint: WEB_ADDRESS,
      add_subject_endpoint: WEB_ADDRESS,
      remove_subject_endpoint: WEB_ADDRESS,
      verification_endpoint: WEB_ADDRESS,
      authorization_schemes: { type: 'array', items: closed({ spec_urn: TEXT }) },
      default_subjects: { const: 'ALL' },
    }),
  ),
  SecurityEventStream: said('A stream of security events.', STREAM),
  SecurityEventStreams: said('One stream, or all streams of the client.', {
    anyOf: [STREAM, { type: 'array', items: STREAM }],
  }),
  StreamRequest: said('A new stream.', open(RECEIVER_SUPPLIED)),
  StreamUpdate: said(
    'Members of a stream to change.',
    open({ stream_id: STREAM_ID, ...RECEIVER_SUPPLIED }, ['stream_id']),
  ),
  StreamReplacement: said(
    'Everything that the client sets of a stream: members that are absent go.',
    open({ stream_id: STREAM_ID, ...RECEIVER_SUPPLIED }, ['stream_id']),
  ),
  StreamStatus: said(
    'The status of a stream.',
    closed({ stream_id: TEXT, status: STATUS, reason: TEXT }, ['stream_id', 'status']),
  ),
  StreamStatusRequest: said(
    'A new status.',
    open({ stream_id: STREAM_ID, status: STATUS, reason: REASON }, ['stream_id', 'status']),
  ),
  StreamSubject: said(
    'A subject of a stream.',
    open({ stream_id: STREAM_ID, subject: SUBJECT, verified: { type: 'boolean' } }, ['stream_id', 'subject']),
  ),
  StreamVerification: said(
    'A wish for a verification event.',
    open({ stream_id: STREAM_ID, state: said('The event has it.', { type: 'string', maxLength: 1024 }) }, [
      'stream_id',
    ]),
  ),
  GlobalTokenRevocation: said(
    'The person whose sessions, grants and tokens end.',
    open(
      {
        sub_id: said('A subject identifier: `iss_sub`, `opaque` or `account` (RFC 9493).', {
          type: 'object',
        }),
      },
      ['sub_id'],
    ),
  ),
  PollRequest: said(
    'A wish for events, with the answers to earlier ones (RFC 8936 §2.2, §2.4).',
    open({
      maxEvents: said('How many events the answer has at most. 0: none.', {
        type: 'integer',
        minimum: 0,
        maximum: 1_000_000,
      }),
      returnImmediately: said('False, the default: an answer without events may wait.', { type: 'boolean' }),
      ack: said('Events that the client took.', {
        type: 'array',
        items: { type: 'string', maxLength: 200 },
        maxItems: 1000,
      }),
      setErrs: said('Events that the client refuses, each with `err` and `description`.', {
        type: 'object',
        additionalProperties: { type: 'object' },
      }),
    }),
  ),
  PollAnswer: said(
    'Security event tokens by their `jti`, the oldest first (RFC 8936 §2.3).',
    closed({ sets: { type: 'object', additionalProperties: TEXT }, moreAvailable: { type: 'boolean' } }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
