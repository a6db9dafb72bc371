import { closed, FLAG, type Schema, said, TEXT, TEXTS } from '../json-schema.ts';
import { TIME, TIME_OR_NEVER } from './conventions.ts';

const COUNT: Schema = { type: 'integer', minimum: 0 };

const SET = {
  url: said(
    'Where deliveries are posted. Answers have it without its query, because a query may hold a secret.',
    { type: 'string', minLength: 1, maxLength: 2048 },
  ),
  description: said('For people.', { type: 'string', maxLength: 200 }),
  actions: said('Actions such as `client.create`, or nouns such as `client`. Empty: every action.', {
    type: 'array',
    items: { type: 'string', maxLength: 64 },
    maxItems: 100,
    uniqueItems: true,
  }),
  events_max: said('The maximum number of events in a delivery. Default: 20.', {
    type: 'integer',
    minimum: 1,
    maximum: 100,
  }),
} as const;

const WEBHOOK = {
  id: TEXT,
  url: SET.url,
  has_query: said('Whether the address has a query, which no answer shows.', FLAG),
  description: TEXT,
  actions: TEXTS,
  events_max: COUNT,
  enabled: FLAG,
  secrets: said('The secrets that sign deliveries now, without their values.', {
    type: 'array',
    items: closed({ id: TEXT, created_at: TIME, expires_at: TIME_OR_NEVER }),
  }),
  cursor: said('The webhook has come to this event. `GET /admin/v1/events` takes the same cursors.', TEXT),
  delivered: said('Events that were delivered.', COUNT),
  delivered_at: TIME_OR_NEVER,
  missed: said('Events that were swept from the audit before they could be delivered.', COUNT),
  created_at: TIME,
  updated_at: TIME,
} as const;

/** Webhooks in the administration API. */
export const ADMIN_WEBHOOK_SCHEMAS = {
  WebhookRequest: said('A new webhook.', closed(SET, ['url'])),
  WebhookChange: said('Members of a webhook to change.', closed(SET, [])),
  Webhook: said(
    'A webhook.',
    closed(
      {
        ...WEBHOOK,
        waiting: said('Deliveries that wait. In lists and reads.', COUNT),
        failed: said('Deliveries that failed for good. In lists and reads.', COUNT),
      },
      Object.keys(WEBHOOK),
    ),
  ),
  NewWebhook: said(
    'A new webhook, with its secret: it is shown once.',
    closed({ ...WEBHOOK, secret: TEXT, secret_id: TEXT }),
  ),
  WebhookSecret: said('A new secret: it is shown once.', closed({ secret: TEXT, secret_id: TEXT })),
  WebhookTest: said(
    'The outcome at the receiver.',
    closed({ accepted: FLAG, problem: { anyOf: [TEXT, { type: 'null' }] } }),
  ),
  WebhookCount: said('How many deliveries were concerned.', closed({ deliveries: COUNT })),
  WebhookDelivery: said(
    'Events in one request, which waits or has failed. Accepted ones are not kept.',
    closed({
      id: said('With the identifier of the webhook it is the `delivery` that the receiver sees.', TEXT),
      state: { enum: ['waiting', 'failed'] },
      events: COUNT,
      missed: COUNT,
      attempts: COUNT,
      problem: said('Why the last attempt was not accepted.', { anyOf: [TEXT, { type: 'null' }] }),
      created_at: TIME,
      attempted_at: TIME_OR_NEVER,
      due_at: said('The next attempt. Null for a failed delivery.', TIME_OR_NEVER),
    }),
  ),
} as const satisfies Readonly<Record<string, Schema>>;
