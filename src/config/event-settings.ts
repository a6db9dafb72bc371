import { integer, type Setting, seconds } from './setting.ts';

const DAY = 86_400;

/** Settings for streams of events and for webhooks. */
export const EVENT_SETTINGS = {
  'events.streams': integer({
    default: 100,
    min: 1,
    max: 10_000,
    unit: 'streams',
    description:
      'The maximum number of streams of events and exports of the audit that a process serves at once. Beyond it the server answers 429. Each one asks the database once a second.',
  }),
  'events.streams-per-caller': integer({
    default: 8,
    min: 1,
    max: 1000,
    unit: 'streams',
    description:
      'The maximum number of streams and exports of one caller (a client, an account or a break-glass token), in each process.',
  }),
  'webhooks.max': integer({
    default: 20,
    min: 0,
    max: 1000,
    unit: 'webhooks',
    tenants: 'inherited',
    description:
      'The maximum number of webhooks of a tenant. 0 = none can be created; those that exist go on.',
  }),
  'webhooks.attempts-max': integer({
    default: 15,
    min: 1,
    max: 50,
    unit: 'attempts',
    tenants: 'inherited',
    description:
      'The maximum number of attempts of a delivery. With the default and the default delay they take about seven hours. Then the delivery has failed, and the next one begins.',
  }),
  'webhooks.retry-delay': seconds({
    default: 10,
    min: 1,
    max: 3600,
    tenants: 'inherited',
    description:
      'Delay before the first retry of a delivery. It doubles with each retry, up to an hour, with random jitter of up to a half.',
  }),
  'webhooks.failed-max': integer({
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'deliveries',
    tenants: 'inherited',
    description:
      'The maximum number of failed deliveries of a webhook. Beyond it the webhook plans no delivery until an operator delivers or drops some: its events wait in the audit.',
  }),
  'webhooks.secret-overlap': seconds({
    default: DAY,
    min: 0,
    max: 30 * DAY,
    tenants: 'inherited',
    description: 'How long deliveries are also signed with the former secret after a rotation.',
  }),
  'webhooks.delivery-interval': seconds({
    default: 2,
    min: 1,
    max: 3600,
    description: 'How often the server looks for events to deliver, in each process.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
