import { deliveryItem, testWebhook, webhookItem, webhookItems } from '../../../events/webhooks/manage.ts';
import type { WebhookSecret } from '../../../events/webhooks/webhook.ts';
import {
  actOnDeliveries,
  changeOfWebhook,
  creationOfWebhook,
  deletionOfWebhook,
  rotationOfSecret,
  switchOfWebhook,
  type WebhookAct,
  type WebhookActNeeds,
  webhookNamed,
} from '../../../events/webhooks/webhook-acts.ts';
import type { StoredWebhook } from '../../../ports/webhook-store.ts';
import type { WebhookId } from '../../../spec/identifiers.ts';
import {
  type AdminCall,
  type AdminNeeds,
  acting,
  type ChangeCall,
  changing,
  creating,
  type Done,
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

export type AdminWebhookNeeds = AdminNeeds & WebhookActNeeds;

export const adminWebhooks = [
  listing<AdminWebhookNeeds>(webhookList, listWebhooks),
  reading<AdminWebhookNeeds>(webhookRead, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    const [item = {}] = await webhookItems(needs, [webhook]);
    return { item, version: String(webhook.version) };
  }),
  creating<AdminWebhookNeeds>(webhookCreate, async (needs, call) => {
    const act = await creationOfWebhook(needs, call.body);
    return planOf(needs, call, act, (secret, item) => ({
      item: { ...item, ...shownSecret(secret) },
      version: String(act.after?.version),
      location: `/webhooks/${String(act.after?.id)}`,
    }));
  }),
  changing<AdminWebhookNeeds>(webhookChange, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    call.ifMatch.require(String(webhook.version));
    const act = changeOfWebhook(needs, webhook, withoutNulls(call.body));
    return planOf(needs, call, act, (_, item) => changed(act, item));
  }),
  removing<AdminWebhookNeeds>(webhookDelete, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    call.ifMatch.require(String(webhook.version));
    return planOf(needs, call, deletionOfWebhook(needs, webhook), () => ({}));
  }),
  acting<AdminWebhookNeeds>(webhookEnable, async (needs, call) => await plannedSwitch(needs, call, true)),
  acting<AdminWebhookNeeds>(webhookDisable, async (needs, call) => await plannedSwitch(needs, call, false)),
  acting<AdminWebhookNeeds>(webhookRotate, async (needs, call) =>
    planOf(needs, call, rotationOfSecret(needs, await webhookAt(needs, call)), (secret) => ({
      item: shownSecret(secret),
    })),
  ),
  acting<AdminWebhookNeeds>(webhookTest, async (needs, call) => {
    const webhook = await webhookAt(needs, call);
    const item = webhookItem(needs, webhook);
    return {
      before: item,
      after: item,
      commit: async () => ({ item: { ...(await testWebhook(needs, webhook)) } }),
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

const webhookAt = async (
  needs: AdminWebhookNeeds,
  { segments }: Pick<AdminCall, 'segments'>,
): Promise<StoredWebhook> => await webhookNamed(needs, segments['id'] ?? '');

/** Plans an act on a webhook. `done` renders its outcome, with the webhook as it is then. */
function planOf<Outcome>(
  needs: AdminWebhookNeeds,
  call: WriteCall,
  { before, after, detail, store }: WebhookAct<Outcome>,
  done: (outcome: Outcome, item: Item) => Done,
): Plan {
  const item = after === null ? null : webhookItem(needs, after);
  return {
    before: before === null ? null : webhookItem(needs, before),
    after: item,
    commit: async () => done(await store(call.event({ detail })), item ?? {}),
  };
}

const shownSecret = ({ id, value }: WebhookSecret): Item => ({ secret: value, secret_id: id });

const changed = ({ after }: WebhookAct<void>, item: Item): Done => ({
  item,
  version: String(after?.version),
});

async function listWebhooks(needs: AdminWebhookNeeds, { page }: ListCall): Promise<Listed> {
  const [after] = page.after ?? [];
  const found = await needs.storage.webhooks.page(
    after === undefined ? undefined : (String(after) as WebhookId),
    page.limit + 1,
  );
  const shown = found.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: await webhookItems(needs, shown),
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

/** RFC 7396 §2: null removes a member. Each member of a webhook has a value, so it gets its default. */
const DEFAULTS: Readonly<Record<string, unknown>> = { description: '', actions: [], events_max: 20 };
const withoutNulls = (body: ChangeCall['body']): Item =>
  Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      value !== null ? [[name, value]] : name in DEFAULTS ? [[name, DEFAULTS[name]]] : [],
    ),
  );

async function plannedSwitch(needs: AdminWebhookNeeds, call: WriteCall, isEnabled: boolean): Promise<Plan> {
  const fromNow = call.query['from'] === 'now';
  const act = await switchOfWebhook(needs, await webhookAt(needs, call), { isEnabled, fromNow });
  return planOf(needs, call, act, (_, item) => changed(act, item));
}

/** Plans for failed deliveries: one, or all of the webhook. */
async function plannedLetters(
  needs: AdminWebhookNeeds,
  call: WriteCall,
  verb: 'redeliver' | 'drop',
): Promise<Plan> {
  const { delivery: name } = call.segments;
  const { detail, store } = await actOnDeliveries(needs, await webhookAt(needs, call), verb, name);
  return {
    before: { deliveries: name ?? 'all' },
    after: null,
    commit: async () => ({ item: { deliveries: await store(call.event({ detail })) } }),
  };
}
