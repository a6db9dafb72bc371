import type { WebhookTest } from '../../events/webhooks/manage.ts';
import { NOT_ACCEPTED, webhookRequest } from '../webhook-options.ts';
import { byId, flag, operand, type RemoteCall, type RemoteRow } from './row.ts';
import type { RemoteRequest } from './server.ts';

const byDelivery = (call: RemoteCall): RemoteRequest => ({
  segments: { id: operand(call, 'id'), delivery: operand(call, 'delivery') },
});

const ofDeliveries = (verb: 'redeliver' | 'drop'): RemoteRow => ({
  operation: `admin-webhook-${verb}`,
  withOperand: { operand: 'delivery', operation: `admin-webhook-delivery-${verb}` },
  request: byDelivery,
});

/** The commands on webhooks, with their operations. */
export const WEBHOOK_ROWS: Readonly<Record<string, RemoteRow>> = {
  'webhooks list': { operation: 'admin-webhook-list', lists: true },
  'webhooks show': { operation: 'admin-webhook-read', request: byId },
  'webhooks create': {
    operation: 'admin-webhook-create',
    request: async ({ operands, options }) => ({ body: await webhookRequest(options, operands['url']) }),
  },
  'webhooks update': {
    operation: 'admin-webhook-change',
    request: async (call) => ({ ...byId(call), body: await webhookRequest(call.options) }),
  },
  'webhooks enable': {
    operation: 'admin-webhook-enable',
    request: (call) => ({
      ...byId(call),
      query: flag(call.options['from-now']) === undefined ? {} : { from: 'now' },
    }),
  },
  'webhooks disable': { operation: 'admin-webhook-disable', request: byId },
  'webhooks delete': { operation: 'admin-webhook-delete', request: byId },
  'webhooks rotate-secret': { operation: 'admin-webhook-rotate', request: byId },
  'webhooks test': {
    operation: 'admin-webhook-test',
    request: byId,
    failure: (json) => ((json as WebhookTest).accepted ? undefined : NOT_ACCEPTED),
  },
  'webhooks deliveries': { operation: 'admin-webhook-delivery-list', lists: true, request: byId },
  'webhooks redeliver': ofDeliveries('redeliver'),
  'webhooks drop': ofDeliveries('drop'),
};
