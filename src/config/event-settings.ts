import { flag, integer, type Setting, seconds } from './setting.ts';

const DAY = 86_400;

/** Settings for streams of events, for webhooks and for the revocation feed. */
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
  'revocation-feed.enabled': flag({
    default: true,
    tenants: 'inherited',
    description:
      'Whether clients with the introspection scope may follow the revocations at `/token/revocations`. Without it, resource servers learn of a revocation by introspection only.',
  }),
  'revocation-feed.heartbeat': seconds({
    default: 2,
    min: 1,
    max: 30,
    tenants: 'inherited',
    description:
      'How often the feed says that nothing has changed. A resource server takes a longer silence for a cut stream, so keep it below the staleness that resource servers accept.',
  }),
  'revocation-feed.streams': integer({
    default: 1000,
    min: 1,
    max: 100_000,
    unit: 'streams',
    description:
      'The maximum number of streams of revocations that a process serves at once, for all tenants. Beyond it the server answers 429. All streams of a tenant share one look at the database each quarter of a second.',
  }),
  'revocation-feed.streams-per-client': integer({
    default: 100,
    min: 1,
    max: 100_000,
    unit: 'streams',
    description:
      'The maximum number of streams of revocations of one client, in each process. Each copy of a resource server has one.',
  }),
} as const satisfies Readonly<Record<string, Setting>>;
