import type { WebhookNeeds } from '../../../events/webhooks/deliver.ts';
import {
  changedWebhook,
  deliveryItem,
  deliveryPlace,
  type ManagementNeeds,
  newWebhook,
  testWebhook,
  type WebhookRequest,
  webhookItem,
  webhookMistakes,
  withNewSecret,
} from '../../../events/webhooks/manage.ts';
import type { StoredWebhook } from '../../../ports/webhook-store.ts';
import type { WebhookId } from '../../../spec/identifiers.ts';
import { notFound, Problem } from '../../../spec/problems.ts';
import {
  type AdminCall,
  type AdminNeeds,
  acting,
  type ChangeCall,
  changing,
  creating,
  type Item,
  type ListCall,
  type Listed,
  listing,
  type Plan,
  reading,
  removing,
  type WriteCall,
} from '../operation.ts';
import {
  deliveryDrop,
  deliveryList,
  deliveryRedeliver,
  webhookChange,
  webhookCreate,
  webhookDelete,
  webhookDisable,
  webhookDrop,
  webhookEnable,
  webhookList,
  webhookRead,
  webhookRedeliver,
  webhookRotate,
  webhookTest,
} from './contract.ts';

export type AdminWebhookNeeds = AdminNeeds & WebhookNeeds & ManagementNeeds;

export const adminWebhooks = [
  listing<AdminWebhookNeeds>(webhookList, listWebhooks),
  reading<AdminWebhookNeeds>(webhookRead, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    return { item: itemOf(needs, webhook), version: String(webhook.version) };
  }),
  creating<AdminWebhookNeeds>(webhookCreate, plannedWebhook),
  changing<AdminWebhookNeeds>(webhookChange, plannedChange),
  removing<AdminWebhookNeeds>(webhookDelete, plannedRemoval),
  acting<AdminWebhookNeeds>(webhookEnable, async (needs, call) => await plannedSwitch(needs, call, true)),
  acting<AdminWebhookNeeds>(webhookDisable, async (needs, call) => await plannedSwitch(needs, call, false)),
  acting<AdminWebhookNeeds>(webhookRotate, plannedRotation),
  acting<AdminWebhookNeeds>(webhookTest, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    const item = itemOf(needs, webhook);
    return {
      before: item,
      after: item,
      commit: async () => {
        const problem = await testWebhook(needs, webhook);
        return { item: { accepted: problem === undefined, problem: problem ?? null } };
      },
    };
  }),
  listing<AdminWebhookNeeds>(deliveryList, listDeliveries),
  acting<AdminWebhookNeeds>(
    deliveryRedeliver,
    async (needs, call) => await plannedLetters(needs, call, 'redeliver'),
  ),
  acting<AdminWebhookNeeds>(
    webhookRedeliver,
    async (needs, call) => await plannedLetters(needs, call, 'redeliver'),
  ),
  acting<AdminWebhookNeeds>(deliveryDrop, async (needs, call) => await plannedLetters(needs, call, 'drop')),
  acting<AdminWebhookNeeds>(webhookDrop, async (needs, call) => await plannedLetters(needs, call, 'drop')),
];

const itemOf = (needs: AdminWebhookNeeds, webhook: StoredWebhook): Item => webhookItem(needs, webhook);

async function webhookAt(
  { storage }: AdminWebhookNeeds,
  { segments }: Pick<AdminCall, 'segments'>,
): Promise<StoredWebhook> {
  const id = segments['id'] ?? '';
  const webhook = id.includes('\0') ? undefined : await storage.webhooks.find(id as WebhookId);
  if (webhook === undefined) throw notFound('webhook');
  return webhook;
}

async function listWebhooks(needs: AdminWebhookNeeds, { page }: ListCall): Promise<Listed> {
  const [after] = page.after ?? [];
  const found = await needs.storage.webhooks.page(
    after === undefined ? undefined : (String(after) as WebhookId),
    page.limit + 1,
  );
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map((webhook) => itemOf(needs, webhook)),
    next: found.length > shown.length && last !== undefined ? [last.id] : undefined,
  };
}

async function listDeliveries(needs: AdminWebhookNeeds, call: ListCall): Promise<Listed> {
  const { id } = await webhookAt(needs, call);
  const [after] = call.page.after ?? [];
  const { limit } = call.page;
  const begin = typeof after === 'number' ? after : -1;
  const found = await needs.storage.webhooks.deliveries(id, begin, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(deliveryItem),
    next: found.length > shown.length && last !== undefined ? [last.after_sequence] : undefined,
  };
}

function refuseMistakes(needs: AdminWebhookNeeds, request: WebhookRequest): void {
  const errors = webhookMistakes(needs, request);
  if (errors.length === 0) return;
  const words = errors.map(({ pointer, detail }) => `${pointer} ${detail}`).join('; ');
  throw new Problem('invalid_body', words, { errors });
}

async function plannedWebhook(needs: AdminWebhookNeeds, call: WriteCall): Promise<Plan> {
  const request = call.body as WebhookRequest;
  refuseMistakes(needs, request);
  const { webhook, secret } = await newWebhook(needs, request);
  const max = needs.settings['webhooks.max'];
  const full = (): Problem => new Problem('conflict', `there are ${max} webhooks already (webhooks.max)`);
  if ((await needs.storage.webhooks.page(undefined, max + 1)).length >= max) throw full();
  const item = itemOf(needs, webhook);
  return {
    before: null,
    after: item,
    commit: async () => {
      if (!(await needs.storage.webhooks.create(webhook, max, call.event({ detail: webhook.id }))))
        throw full();
      return {
        item: { ...item, secret: secret.value, secret_id: secret.id },
        version: String(webhook.version),
        location: `/webhooks/${webhook.id}`,
      };
    },
  };
}

/** Stores a changed webhook; another change since it was read is refused. */
async function stored(
  needs: AdminWebhookNeeds,
  call: Pick<WriteCall, 'event'>,
  after: StoredWebhook,
  { words, position }: { readonly words: string; readonly position?: number },
): Promise<void> {
  const event = call.event({ detail: `${after.id} ${words}` });
  const change = { event, ...(position === undefined ? {} : { position }) };
  if (await needs.storage.webhooks.replace(after, after.version - 1, change)) return;
  throw new Problem('precondition_failed', 'the webhook has changed meanwhile: read it again');
}

async function plannedChange(needs: AdminWebhookNeeds, call: ChangeCall): Promise<Plan> {
  const webhook = await webhookAt(needs, call);
  call.ifMatch.require(String(webhook.version));
  const request = withoutNulls(call.body) as WebhookRequest;
  refuseMistakes(needs, request);
  const after = changedWebhook(needs, webhook, request);
  const item = itemOf(needs, after);
  return {
    before: itemOf(needs, webhook),
    after: item,
    commit: async () => {
      await stored(needs, call, after, { words: Object.keys(request).join(' ') || 'nothing' });
      return { item, version: String(after.version) };
    },
  };
}

/** RFC 7396 §2: null removes a member. Each member of a webhook has a value, so it gets its default. */
const DEFAULTS: Readonly<Record<string, unknown>> = { description: '', actions: [], events_max: 20 };
const withoutNulls = (body: ChangeCall['body']): Item =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value !== null ? [[name, value]] : name in DEFAULTS ? [[name, DEFAULTS[name]]] : [],
    ),
  );

async function plannedRemoval(needs: AdminWebhookNeeds, call: ChangeCall): Promise<Plan> {
  const { id, version, ...rest } = await webhookAt(needs, call);
  call.ifMatch.require(String(version));
  return {
    before: itemOf(needs, { id, version, ...rest }),
    after: null,
    commit: async () => {
      if (await needs.storage.webhooks.delete(id, version, call.event({ detail: id }))) return {};
      throw new Problem('precondition_failed', 'the webhook has changed meanwhile: read it again');
    },
  };
}

async function plannedSwitch(needs: AdminWebhookNeeds, call: WriteCall, isEnabled: boolean): Promise<Plan> {
  const webhook = await webhookAt(needs, call);
  const now = needs.clock.now();
  const position = call.query['from'] === 'now' ? await needs.storage.audit.head() : undefined;
  const after: StoredWebhook = {
    ...webhook,
    version: webhook.version + 1,
    updated_at: now,
    disabled_at: isEnabled ? null : (webhook.disabled_at ?? now),
    position: position ?? webhook.position,
  };
  const item = itemOf(needs, after);
  return {
    before: itemOf(needs, webhook),
    after: item,
    commit: async () => {
      const words = isEnabled ? 'enabled' : 'disabled';
      await stored(needs, call, after, { words, ...(position === undefined ? {} : { position }) });
      return { item, version: String(after.version) };
    },
  };
}

async function plannedRotation(needs: AdminWebhookNeeds, call: WriteCall): Promise<Plan> {
  const webhook = await webhookAt(needs, call);
  const { webhook: after, secret } = withNewSecret(needs, webhook);
  return {
    before: itemOf(needs, webhook),
    after: itemOf(needs, after),
    commit: async () => {
      await stored(needs, call, after, { words: 'secret' });
      return { item: { secret: secret.value, secret_id: secret.id } };
    },
  };
}

/** Plans for failed deliveries: one, or all of the webhook. */
async function plannedLetters(
  needs: AdminWebhookNeeds,
  call: WriteCall,
  verb: 'redeliver' | 'drop',
): Promise<Plan> {
  const { id } = await webhookAt(needs, call);
  const { webhooks } = needs.storage;
  const { delivery: name } = call.segments;
  const place = name === undefined ? undefined : deliveryPlace(name);
  if (name !== undefined && place === undefined) throw notFound('delivery');
  if (place !== undefined) {
    const [found] = await webhooks.deliveries(id, place - 1, 1);
    if (found?.after_sequence !== place || found.state !== 'failed') throw notFound('failed delivery');
  }
  return {
    before: { deliveries: name ?? 'all' },
    after: null,
    commit: async () => {
      const event = call.event({ detail: `${id} ${name ?? 'all'}` });
      const deliveries =
        verb === 'drop'
          ? await webhooks.drop(id, place, event)
          : await webhooks.redeliver(id, place, needs.clock.now(), event);
      return { item: { deliveries } };
    },
  };
}
