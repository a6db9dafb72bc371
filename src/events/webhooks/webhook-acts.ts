import type { AuditEvent } from '../../ports/audit-log.ts';
import type { StoredWebhook, WebhookStore } from '../../ports/webhook-store.ts';
import type { WebhookId } from '../../spec/identifiers.ts';
import { notFound, Problem } from '../../spec/problems.ts';
import type { WebhookNeeds } from './deliver.ts';
import {
  changedWebhook,
  deliveryPlace,
  type ManagementNeeds,
  newWebhook,
  type WebhookRequest,
  webhookMistakes,
  withNewSecret,
} from './manage.ts';
import type { WebhookSecret } from './webhook.ts';

/** The needs of the acts on webhooks, for the administration API and for commands. */
export type WebhookActNeeds = WebhookNeeds & ManagementNeeds;

/** An act on a webhook that is permitted and has not happened. */
export interface WebhookAct<Outcome> {
  /** Null for a creation. */
  readonly before: StoredWebhook | null;
  /** Null for a deletion. */
  readonly after: StoredWebhook | null;
  /** For the audit event. */
  readonly detail: string;
  /** Stores the act and its event in one write. @throws Problem if the act lost a race */
  readonly store: (event: AuditEvent) => Promise<Outcome>;
}

/** Returns the webhook of an id. @throws Problem not_found */
export async function webhookNamed(
  { storage }: Pick<WebhookNeeds, 'storage'>,
  id: string,
): Promise<StoredWebhook> {
  const webhook = id.includes('\0') ? undefined : await storage.webhooks.find(id as WebhookId);
  if (webhook === undefined) throw notFound('webhook');
  return webhook;
}

/** Prepares a webhook that begins with the next event. @throws Problem invalid_body, conflict if there are too many webhooks */
export async function creationOfWebhook(
  needs: WebhookActNeeds,
  request: WebhookRequest,
): Promise<WebhookAct<WebhookSecret>> {
  requireNoMistakes(needs, request);
  const { webhook, secret } = await newWebhook(needs, request);
  const { webhooks } = needs.storage;
  const max = needs.settings['webhooks.max'];
  const full = (): Problem => new Problem('conflict', `there are ${max} webhooks already (webhooks.max)`);
  if ((await webhooks.page(undefined, max + 1)).length >= max) throw full();
  return {
    before: null,
    after: webhook,
    detail: webhook.id,
    async store(event) {
      if (!(await webhooks.create(webhook, max, event))) throw full();
      return secret;
    },
  };
}

/** Prepares other members. @throws Problem invalid_body */
export function changeOfWebhook(
  needs: WebhookActNeeds,
  webhook: StoredWebhook,
  request: WebhookRequest,
): WebhookAct<void> {
  requireNoMistakes(needs, request);
  const words = Object.keys(request).join(' ') || 'nothing';
  return replacement(needs, webhook, changedWebhook(needs, webhook, request), { words });
}

function requireNoMistakes(needs: ManagementNeeds, request: WebhookRequest): void {
  const errors = webhookMistakes(needs, request);
  if (errors.length === 0) return;
  const words = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid_body', words, { errors });
}

/** Prepares that a webhook is enabled or disabled. `fromNow`: it passes over what was recorded meanwhile. */
export async function switchOfWebhook(
  needs: WebhookActNeeds,
  webhook: StoredWebhook,
  { isEnabled, fromNow }: { readonly isEnabled: boolean; readonly fromNow: boolean },
): Promise<WebhookAct<void>> {
  const now = needs.clock.now();
  const position = fromNow ? await needs.storage.audit.head() : undefined;
  const after = {
    ...webhook,
    version: webhook.version + 1,
    updated_at: now,
    disabled_at: isEnabled ? null : (webhook.disabled_at ?? now),
    position: position ?? webhook.position,
  };
  const words = isEnabled ? 'enabled' : 'disabled';
  return replacement(needs, webhook, after, { words, ...(position === undefined ? {} : { position }) });
}

/** Prepares a new secret. The former one signs beside it for `webhooks.secret-overlap`. */
export function rotationOfSecret(needs: WebhookActNeeds, webhook: StoredWebhook): WebhookAct<WebhookSecret> {
  const { webhook: after, secret } = withNewSecret(needs, webhook);
  const act = replacement(needs, webhook, after, { words: 'secret' });
  return {
    ...act,
    async store(event) {
      await act.store(event);
      return secret;
    },
  };
}

/** Prepares the deletion of a webhook with its deliveries. */
export function deletionOfWebhook(
  { storage }: Pick<WebhookNeeds, 'storage'>,
  webhook: StoredWebhook,
): WebhookAct<void> {
  const { id, version } = webhook;
  return {
    before: webhook,
    after: null,
    detail: id,
    async store(event) {
      if (!(await storage.webhooks.delete(id, version, event))) throw lostRace();
    },
  };
}

const lostRace = (): Problem =>
  new Problem('precondition_failed', 'the webhook has changed meanwhile: read it again');

function replacement(
  { storage }: Pick<WebhookNeeds, 'storage'>,
  before: StoredWebhook,
  after: StoredWebhook,
  { words, ...moved }: { readonly words: string; readonly position?: number },
): WebhookAct<void> {
  return {
    before,
    after,
    detail: `${after.id} ${words}`,
    async store(event) {
      if (!(await storage.webhooks.replace(after, before.version, { event, ...moved }))) throw lostRace();
    },
  };
}

/** An act on failed deliveries: one, or all of a webhook. `store` returns how many were concerned. */
export type DeliveryAct = Pick<WebhookAct<number>, 'detail' | 'store'>;

/**
 * Prepares that failed deliveries are tried again, once, or dropped.
 * @param name of one delivery; undefined for all
 * @throws Problem not_found for a delivery that has not failed
 */
export async function actOnDeliveries(
  { storage: { webhooks }, clock }: Pick<WebhookNeeds, 'clock'> & { storage: { webhooks: WebhookStore } },
  { id }: Pick<StoredWebhook, 'id'>,
  verb: 'redeliver' | 'drop',
  name: string | undefined,
): Promise<DeliveryAct> {
  const place = name === undefined ? undefined : deliveryPlace(name);
  if (name !== undefined && place === undefined) throw notFound('delivery');
  if (place !== undefined) {
    const [found] = await webhooks.deliveries(id, place - 1, 1);
    if (found?.after_sequence !== place || found.state !== 'failed') throw notFound('failed delivery');
  }
  return {
    detail: `${id} ${name ?? 'all'}`,
    store: async (event) =>
      verb === 'drop'
        ? await webhooks.drop(id, place, event)
        : await webhooks.redeliver(id, place, clock.now(), event),
  };
}
