import type { Settings } from '../../config/settings.ts';
import type { ServerKeys } from '../../keys/server-keys.ts';
import type { AuditLog, RecordedAuditEvent } from '../../ports/audit-log.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type { OutboundForms, Posted } from '../../ports/outbound-http.ts';
import type { Random } from '../../ports/random.ts';
import type { Sealer } from '../../ports/sealer.ts';
import type {
  DeliveryOutcome,
  StoredWebhook,
  TakenDelivery,
  WebhookStore,
} from '../../ports/webhook-store.ts';
import { type DeliveryLoop, deliveryLoop, LEASE_MARGIN } from '../delivery-loop.ts';
import type { EventCursors } from '../event-cursor.ts';
import { eventItem } from '../event-item.ts';
import { type Followed, readOn } from '../follow-audit.ts';
import { problemOf } from '../posted-problem.ts';
import { retryDelay } from '../retry-delay.ts';
import { signedHeaders } from './message-signature.ts';
import { configurationOf, openSecrets, selectionOfWebhook, type WebhookConfiguration } from './webhook.ts';

export interface WebhookNeeds {
  readonly issuer: string;
  readonly storage: {
    readonly webhooks: WebhookStore;
    readonly audit: Pick<AuditLog, 'page' | 'head'>;
  };
  readonly keys: Pick<ServerKeys, 'canSign' | 'signOctets'>;
  readonly sealer: Sealer;
  readonly outbound: Pick<OutboundForms, 'postBody'>;
  readonly eventCursors: EventCursors;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  readonly log: Log;
}

export interface DeliveryCounts {
  readonly count: (outcome: DeliveryOutcome['outcome']) => void;
  readonly countMissed: (events: number) => void;
}

/** Pages of the audit that one plan looks at: requests run in between. */
const PAGES_PER_PLAN = 4;

/** Delivers events to the webhooks of a tenant. A leased delivery is made by one process only. */
export function webhookDelivery(needs: WebhookNeeds & DeliveryCounts): DeliveryLoop {
  const { storage, clock, settings, log } = needs;
  const { webhooks } = storage;
  return deliveryLoop<TakenDelivery>({
    log,
    failure: 'events could not be delivered to webhooks',
    async plan() {
      let planned = false;
      for (const webhook of await webhooks.toPlan(settings['webhooks.failed-max']))
        planned = (await planNext(needs, webhook)) || planned;
      return planned;
    },
    async take(limit) {
      const now = clock.now();
      const until = now + settings['outbound.timeout'] + LEASE_MARGIN;
      return await webhooks.take({ now, until, limit });
    },
    attempt: async (taken) => await attemptAndSettle(needs, taken),
  });
}

/**
 * Moves a webhook on to its next delivery, or to the end of what it has looked at. The position and the delivery are one write, so
 * that no crash loses an event: what is not planned is planned by the next process. Returns whether anything was looked at.
 */
async function planNext(needs: WebhookNeeds & DeliveryCounts, webhook: StoredWebhook): Promise<boolean> {
  const { storage, clock, log } = needs;
  const configuration = configurationOf(webhook);
  let [to, events, missed] = [webhook.position, 0, 0];
  for (let page = 0; page < PAGES_PER_PLAN && events === 0; page += 1) {
    const part = await readPart(storage.audit, configuration, to);
    if (part.until === to) break;
    events += part.events.length;
    missed += part.missed;
    to = part.until;
  }
  if (to === webhook.position) return false;
  const isNeeded = events > 0 || missed > 0;
  const delivery = isNeeded ? { events, missed, created_at: clock.now() } : undefined;
  const done = await storage.webhooks.plan(webhook.id, { from: webhook.position, to, delivery });
  if (done && missed > 0) {
    needs.countMissed(missed);
    log.warn(
      { webhook: webhook.id, missed },
      'events were swept from the audit before a webhook came to them',
    );
  }
  return done;
}

/** Reads on as far as one delivery may have events. */
async function readPart(
  audit: Pick<AuditLog, 'page'>,
  configuration: WebhookConfiguration,
  after: number,
): Promise<Followed> {
  const selection = selectionOfWebhook(configuration);
  const part = await readOn(audit, selection, after);
  const { events_max: max } = configuration;
  return part.events.length <= max
    ? part
    : await readOn(audit, selection, after, part.events[max - 1]?.sequence);
}

/** Makes one attempt and stores the outcome. Never rejects: without an outcome the lease expires, and the delivery is due again. */
async function attemptAndSettle(needs: WebhookNeeds & DeliveryCounts, taken: TakenDelivery): Promise<void> {
  const { webhook_id: webhook, attempts } = taken;
  try {
    const found = await needs.storage.webhooks.find(webhook);
    if (found === undefined) return;
    const outcome = await attemptDelivery(needs, found, taken);
    await needs.storage.webhooks.settle(taken, outcome);
    needs.count(outcome.outcome);
    if (outcome.outcome === 'delivered') return;
    const { problem } = outcome;
    needs.log.warn(
      { webhook, attempts, outcome: outcome.outcome, problem },
      'events were not delivered to a webhook',
    );
  } catch (cause) {
    needs.log.error({ webhook, cause }, 'a delivery to a webhook failed');
  }
}

async function attemptDelivery(
  needs: WebhookNeeds,
  webhook: StoredWebhook,
  taken: TakenDelivery,
): Promise<DeliveryOutcome> {
  const { clock, settings, random } = needs;
  const { events, missed } = await eventsOf(needs, webhook, taken);
  const posted = await postEvents(needs, webhook, {
    delivery: `${webhook.id}.${deliveryName(taken)}`,
    missed,
    events: events.map((event) => eventItem(needs.eventCursors, event)),
  });
  const problem = problemOf(posted);
  if (problem === undefined) return { outcome: 'delivered', at: clock.now() };
  if (taken.attempts >= settings['webhooks.attempts-max']) return { outcome: 'failed', problem };
  const delay = retryDelay(settings['webhooks.retry-delay'], taken.attempts, random);
  return { outcome: 'postponed', problem, due_at: clock.now() + delay };
}

/** The name of a delivery among those of its webhook. */
export const deliveryName = ({
  after_sequence,
  until_sequence,
}: Pick<TakenDelivery, 'after_sequence' | 'until_sequence'>): string => `${after_sequence}-${until_sequence}`;

/** Reads the events of a delivery again, by the present filter. Those that were swept meanwhile are counted. */
async function eventsOf(
  { storage: { audit } }: WebhookNeeds,
  webhook: StoredWebhook,
  { after_sequence, until_sequence }: TakenDelivery,
): Promise<{ readonly events: readonly RecordedAuditEvent[]; readonly missed: number }> {
  const selection = selectionOfWebhook(configurationOf(webhook));
  const events: RecordedAuditEvent[] = [];
  let [place, seen] = [after_sequence, 0];
  for (;;) {
    const part = await readOn(audit, selection, place, until_sequence);
    events.push(...part.events);
    seen += part.until - place - part.missed;
    if (part.until === place) break;
    place = part.until;
  }
  return { events, missed: until_sequence - after_sequence - seen };
}

/** The body of a delivery. */
export interface DeliveryBody {
  readonly delivery: string;
  readonly missed: number;
  readonly events: readonly object[];
  readonly test?: true;
}

const NONCE_LENGTH = 22;

/** Posts a signed delivery. Never rejects for a failure of the receiver. */
export async function postEvents(
  needs: WebhookNeeds,
  webhook: StoredWebhook,
  content: DeliveryBody,
): Promise<Posted> {
  const { issuer, keys, sealer, clock, random, outbound } = needs;
  const { url } = configurationOf(webhook);
  const { query, secrets } = openSecrets(sealer, webhook);
  const { delivery, ...rest } = content;
  const body = JSON.stringify({ delivery, webhook: webhook.id, issuer, ...rest });
  const now = clock.now();
  const headers = await signedHeaders(
    keys,
    secrets.filter(({ expires_at }) => expires_at === null || expires_at > now),
    { url: url + query, delivery, body, created: now, nonce: random.alphanumeric(NONCE_LENGTH) },
  );
  const cause = { purpose: 'webhooks', remoteAddress: undefined, party: webhook.id } as const;
  return await outbound.postBody(url + query, { headers, body }, cause);
}
