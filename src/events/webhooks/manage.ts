import type { OutboundHttp } from '../../ports/outbound-http.ts';
import type { StoredDelivery, StoredWebhook } from '../../ports/webhook-store.ts';
import { IDENTIFIER_LENGTHS, type WebhookId } from '../../spec/identifiers.ts';
import { timeOrNever, timeText } from '../../spec/time-text.ts';
import { problemOf } from '../posted-problem.ts';
import { deliveryName, postEvents, type WebhookNeeds } from './deliver.ts';
import {
  configurationOf,
  EVENTS_MAX,
  isKnownAction,
  newSecret,
  openSecrets,
  sealSecrets,
  type WebhookConfiguration,
  type WebhookSecret,
} from './webhook.ts';

export type ManagementNeeds = Pick<
  WebhookNeeds,
  'storage' | 'sealer' | 'eventCursors' | 'clock' | 'random' | 'settings'
> & { readonly outbound: Pick<OutboundHttp, 'urlProblem'> };

/** The wish of a caller. Members that are absent stay as they are, or get their default. */
export interface WebhookRequest {
  readonly url?: string;
  readonly description?: string;
  readonly actions?: readonly string[];
  readonly events_max?: number;
}

/** A member that is wrong, by its JSON pointer. */
export interface WebhookMistake {
  readonly pointer: string;
  readonly detail: string;
}

/** Returns every mistake in a request. */
export function webhookMistakes(
  { outbound }: Pick<ManagementNeeds, 'outbound'>,
  { url, actions = [] }: WebhookRequest,
): readonly WebhookMistake[] {
  const mistakes: WebhookMistake[] = [];
  if (url !== undefined) {
    const problem = outbound.urlProblem(url);
    if (problem !== undefined)
      mistakes.push({
        pointer: '/url',
        detail: `must be an address that the server may call: ${problem.reason}`,
      });
    else if (url.includes('#')) mistakes.push({ pointer: '/url', detail: 'must have no fragment' });
  }
  for (const [index, action] of actions.entries())
    if (!isKnownAction(action))
      mistakes.push({
        pointer: `/actions/${index}`,
        detail: `must be an action of the audit such as client.create, or a noun such as client, found ${JSON.stringify(action)}`,
      });
  return mistakes;
}

/** Makes a webhook that begins with the next event. Its secret is shown once. */
export async function newWebhook(
  needs: ManagementNeeds,
  { url = '', description = '', actions = [], events_max = EVENTS_MAX.default }: WebhookRequest,
): Promise<{ readonly webhook: StoredWebhook; readonly secret: WebhookSecret }> {
  const { storage, sealer, clock, random } = needs;
  const now = clock.now();
  const id = random.alphanumeric(IDENTIFIER_LENGTHS.webhook) as WebhookId;
  const secret = newSecret(random, now);
  const { address, query } = partsOf(url);
  const kept = { description, actions, events_max };
  const configuration: WebhookConfiguration = { url: address, has_query: query !== '', ...kept };
  const webhook: StoredWebhook = {
    id,
    version: 1,
    configuration: JSON.stringify(configuration),
    sealed: sealSecrets(sealer, id, { query, secrets: [secret] }),
    created_at: now,
    updated_at: now,
    disabled_at: null,
    position: await storage.audit.head(),
    delivered_at: null,
    delivered: 0,
    missed: 0,
  };
  return { webhook, secret };
}

function partsOf(url: string): { readonly address: string; readonly query: string } {
  const mark = url.indexOf('?');
  return mark === -1 ? { address: url, query: '' } : { address: url.slice(0, mark), query: url.slice(mark) };
}

/** Returns a webhook with other members. */
export function changedWebhook(
  { sealer, clock }: Pick<ManagementNeeds, 'sealer' | 'clock'>,
  webhook: StoredWebhook,
  { url, ...rest }: WebhookRequest,
): StoredWebhook {
  const before = configurationOf(webhook);
  const next = { ...webhook, version: webhook.version + 1, updated_at: clock.now() };
  if (url === undefined) return { ...next, configuration: JSON.stringify({ ...before, ...rest }) };
  const { address, query } = partsOf(url);
  const secrets = { ...openSecrets(sealer, webhook), query };
  return {
    ...next,
    configuration: JSON.stringify({ ...before, ...rest, url: address, has_query: query !== '' }),
    sealed: sealSecrets(sealer, webhook.id, secrets),
  };
}

/** Gives a webhook a new secret. The former one signs beside it for `webhooks.secret-overlap`. */
export function withNewSecret(
  { sealer, clock, random, settings }: Pick<ManagementNeeds, 'sealer' | 'clock' | 'random' | 'settings'>,
  webhook: StoredWebhook,
): { readonly webhook: StoredWebhook; readonly secret: WebhookSecret } {
  const now = clock.now();
  const { query, secrets } = openSecrets(sealer, webhook);
  const secret = newSecret(random, now);
  const ends = now + settings['webhooks.secret-overlap'];
  const former = secrets
    .map((each) => ({ ...each, expires_at: each.expires_at ?? ends }))
    .filter(({ expires_at }) => expires_at > now)
    .slice(0, 1);
  const sealed = sealSecrets(sealer, webhook.id, { query, secrets: [secret, ...former] });
  return { webhook: { ...webhook, version: webhook.version + 1, updated_at: now, sealed }, secret };
}

/** Returns a webhook as operators see it: without its secrets, and without the query of its address. */
export function webhookItem(
  { sealer, eventCursors }: Pick<ManagementNeeds, 'sealer' | 'eventCursors'>,
  webhook: StoredWebhook,
) {
  const { secrets } = openSecrets(sealer, webhook);
  return {
    id: webhook.id,
    ...configurationOf(webhook),
    enabled: webhook.disabled_at === null,
    secrets: secrets.map(({ id, created_at, expires_at }) => ({
      id,
      created_at: timeText(created_at),
      expires_at: timeOrNever(expires_at),
    })),
    cursor: eventCursors.textOf(webhook.position),
    delivered: webhook.delivered,
    delivered_at: timeOrNever(webhook.delivered_at),
    missed: webhook.missed,
    created_at: timeText(webhook.created_at),
    updated_at: timeText(webhook.updated_at),
  };
}

/** Returns webhooks as operators see them, with the deliveries that were not accepted yet. */
export async function webhookItems(
  needs: Pick<ManagementNeeds, 'sealer' | 'eventCursors' | 'storage'>,
  webhooks: readonly StoredWebhook[],
) {
  const backlogs = await needs.storage.webhooks.backlogs();
  return webhooks.map((webhook) => {
    const { waiting, failed } = backlogs.find(({ webhook_id }) => webhook_id === webhook.id) ?? NO_BACKLOG;
    return { ...webhookItem(needs, webhook), waiting, failed };
  });
}

const NO_BACKLOG = { waiting: 0, failed: 0 };

/** Returns a delivery as operators see it. */
export function deliveryItem(delivery: StoredDelivery) {
  const { state, events, missed, attempts, problem, created_at, attempted_at, due_at } = delivery;
  return {
    id: deliveryName(delivery),
    state,
    events,
    missed,
    attempts,
    problem,
    created_at: timeText(created_at),
    attempted_at: timeOrNever(attempted_at),
    due_at: due_at === 0 ? timeText(created_at) : timeOrNever(due_at),
  };
}

const DELIVERY_NAME = /^(\d{1,15})-\d{1,15}$/u;

/** Returns the sequence after which a delivery begins; undefined for no name of a delivery. */
export function deliveryPlace(name: string): number | undefined {
  const [, after] = DELIVERY_NAME.exec(name) ?? [];
  return after === undefined ? undefined : Number(after);
}

/** The outcome of a delivery without events. */
export interface WebhookTest {
  readonly accepted: boolean;
  /** Why it was not accepted. */
  readonly problem: string | null;
}

/** Sends a delivery without events at once, also to a disabled webhook. */
export async function testWebhook(needs: WebhookNeeds, webhook: StoredWebhook): Promise<WebhookTest> {
  const delivery = `${webhook.id}.test-${needs.random.alphanumeric(IDENTIFIER_LENGTHS.webhook)}`;
  const problem = problemOf(
    await postEvents(needs, webhook, { delivery, test: true, missed: 0, events: [] }),
  );
  return { accepted: problem === undefined, problem: problem ?? null };
}
