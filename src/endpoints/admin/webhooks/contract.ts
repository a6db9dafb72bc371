import { named } from '../../../spec/schemas.ts';
import { operationContract } from '../operation-contract.ts';

const ID = { id: 'The identifier of the webhook.' };
const DELIVERY = { ...ID, delivery: 'The identifier of the delivery.' };
const PATH = '/admin/v1/webhooks/{id}';
const READS = { scope: 'admin:webhooks:read', segments: ID } as const;
const WRITES = { scope: 'admin:webhooks', segments: ID } as const;

export const webhookList = operationContract({
  kind: 'list',
  name: 'admin-webhook-list',
  path: '/admin/v1/webhooks',
  purpose: 'Lists the webhooks.',
  scope: 'admin:webhooks:read',
  item: named('Webhook'),
});

export const webhookRead = operationContract({
  kind: 'item',
  name: 'admin-webhook-read',
  path: PATH,
  purpose: 'Returns one webhook.',
  ...READS,
  item: named('Webhook'),
});

export const webhookCreate = operationContract({
  kind: 'creation',
  name: 'admin-webhook-create',
  path: '/admin/v1/webhooks',
  purpose: 'Makes a webhook, which begins with the next event of the audit.',
  scope: 'admin:webhooks',
  action: 'webhook.create',
  body: named('WebhookRequest'),
  item: named('NewWebhook'),
  problems: ['conflict'],
});

export const webhookChange = operationContract({
  kind: 'change',
  method: 'PATCH',
  name: 'admin-webhook-change',
  path: PATH,
  purpose: 'Changes a webhook. The new actions also select among events that are not delivered yet.',
  ...WRITES,
  action: 'webhook.update',
  body: named('WebhookChange'),
  item: named('Webhook'),
});

export const webhookDelete = operationContract({
  kind: 'removal',
  name: 'admin-webhook-delete',
  path: PATH,
  purpose: 'Deletes a webhook with its deliveries.',
  ...WRITES,
  action: 'webhook.delete',
});

export const webhookEnable = operationContract({
  kind: 'action',
  name: 'admin-webhook-enable',
  path: `${PATH}/enable`,
  purpose: 'Enables a webhook. It goes on where it was.',
  ...WRITES,
  query: {
    from: {
      words:
        '`now`: the webhook passes over what was recorded meanwhile, and its waiting deliveries are dropped.',
      schema: { enum: ['now'] },
    },
  },
  action: 'webhook.update',
  result: named('Webhook'),
});

export const webhookDisable = operationContract({
  kind: 'action',
  name: 'admin-webhook-disable',
  path: `${PATH}/disable`,
  purpose: 'Disables a webhook. Its place in the audit and its deliveries are kept.',
  ...WRITES,
  action: 'webhook.update',
  result: named('Webhook'),
});

export const webhookRotate = operationContract({
  kind: 'action',
  name: 'admin-webhook-rotate',
  path: `${PATH}/rotate`,
  purpose: 'Makes a new secret. The former one signs beside it for `webhooks.secret-overlap`.',
  ...WRITES,
  action: 'webhook.secret',
  result: named('WebhookSecret'),
});

export const webhookTest = operationContract({
  kind: 'action',
  name: 'admin-webhook-test',
  path: `${PATH}/test`,
  purpose:
    'Sends a signed delivery without events at once, also of a disabled webhook, and returns what came of it.',
  ...WRITES,
  action: 'webhook.update',
  result: named('WebhookTest'),
});

export const deliveryList = operationContract({
  kind: 'list',
  name: 'admin-webhook-delivery-list',
  path: `${PATH}/deliveries`,
  purpose: 'Lists the deliveries of a webhook that wait or have failed, in the order of the audit.',
  ...READS,
  item: named('WebhookDelivery'),
});

const ofDeliveries = (verb: 'redeliver' | 'drop', purpose: string) => ({
  one: operationContract({
    kind: 'action',
    name: `admin-webhook-delivery-${verb}`,
    path: `${PATH}/deliveries/{delivery}/${verb}`,
    purpose: `${purpose} one failed delivery.`,
    ...WRITES,
    segments: DELIVERY,
    action: `webhook.${verb}`,
    result: named('WebhookCount'),
  }),
  all: operationContract({
    kind: 'action',
    name: `admin-webhook-${verb}`,
    path: `${PATH}/${verb}`,
    purpose: `${purpose} all failed deliveries of a webhook.`,
    ...WRITES,
    action: `webhook.${verb}`,
    result: named('WebhookCount'),
  }),
});

export const { one: deliveryRedeliver, all: webhookRedeliver } = ofDeliveries(
  'redeliver',
  'Tries again, once,',
);
export const { one: deliveryDrop, all: webhookDrop } = ofDeliveries('drop', 'Drops');
