import type { DeliveryOutcome, WebhookStore } from '../../ports/webhook-store.ts';
import { TAKEN_DELIVERY, WEBHOOK, WEBHOOK_BACKLOG, WEBHOOK_DELIVERY } from '../rows.ts';
import { record } from './audit.ts';
import { changed, one, type TenantNoun, type Values } from './noun.ts';
import { statement } from './statement.ts';

const HEAD = 'coalesce((SELECT audit FROM tenant_counter WHERE tenant = :tenant), 0)';
const DUE = `FROM webhook_delivery JOIN webhook ON webhook.tenant = :tenant AND webhook.id = webhook_id
  WHERE webhook_delivery.tenant = :tenant AND due_at IS NOT NULL AND disabled_at IS NULL`;
const FAILED = `tenant = :tenant AND webhook_id = :id AND state = 'failed'
  AND after_sequence = coalesce(:after::bigint, after_sequence)`;
/** A later attempt has raised `attempts`; a failed delivery has no `due_at`. */
const STILL_TAKEN = `tenant = :tenant AND webhook_id = :webhook_id AND after_sequence = :after_sequence
  AND attempts = :attempts AND due_at IS NOT NULL`;

const FIND = statement(
  'webhook_find',
  `SELECT ${WEBHOOK.columns} FROM webhook WHERE tenant = :tenant AND id = :id`,
);
const PAGE = statement(
  'webhook_page',
  `SELECT ${WEBHOOK.columns} FROM webhook WHERE tenant = :tenant AND id > :after ORDER BY id LIMIT :limit`,
);
const DELIVERIES = statement(
  'webhook_deliveries',
  `SELECT ${WEBHOOK_DELIVERY.columns} FROM webhook_delivery
   WHERE tenant = :tenant AND webhook_id = :id AND after_sequence > :after ORDER BY after_sequence LIMIT :limit`,
);
const TO_PLAN = statement(
  'webhook_to_plan',
  `SELECT ${WEBHOOK.columns} FROM webhook
   WHERE tenant = :tenant AND disabled_at IS NULL AND position < ${HEAD}
     AND NOT EXISTS (SELECT 1 FROM webhook_delivery
       WHERE tenant = :tenant AND webhook_id = webhook.id AND due_at IS NOT NULL)
     AND (SELECT count(*) FROM webhook_delivery
       WHERE tenant = :tenant AND webhook_id = webhook.id AND state = 'failed') < :failed_max
   ORDER BY id`,
);
const NEXT_DUE = statement('webhook_next_due', `SELECT due_at ${DUE} ORDER BY due_at LIMIT 1`);
const BEHIND = statement(
  'webhook_behind',
  `SELECT ${HEAD} - position AS behind FROM webhook WHERE tenant = :tenant AND disabled_at IS NULL`,
);
const DELIVERY_FIGURES = statement(
  'webhook_delivery_figures',
  `SELECT count(due_at) AS waiting, count(*) - count(due_at) AS failed,
     min(CASE WHEN due_at IS NULL THEN NULL ELSE created_at END) AS oldest
   FROM webhook_delivery WHERE tenant = :tenant`,
);
const BACKLOGS = statement(
  'webhook_backlogs',
  `SELECT webhook_id, count(due_at) AS waiting, count(*) - count(due_at) AS failed
   FROM webhook_delivery WHERE tenant = :tenant GROUP BY webhook_id`,
);
const COUNT = statement('webhook_count', 'SELECT count(*) AS webhooks FROM webhook WHERE tenant = :tenant');
const INSERT = statement(
  'webhook_insert',
  `INSERT INTO webhook (tenant, ${WEBHOOK.columns})
   VALUES (:tenant, ${WEBHOOK.columns
     .split(', ')
     .map((column) => `:${column}`)
     .join(', ')})`,
);
const LIST = statement(
  'webhook_list',
  'INSERT INTO webhook_tenant (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING',
);
const UNLIST = statement(
  'webhook_unlist',
  'DELETE FROM webhook_tenant WHERE tenant = :tenant AND NOT EXISTS (SELECT 1 FROM webhook WHERE tenant = :tenant)',
);
const REPLACE = statement(
  'webhook_replace',
  `UPDATE webhook SET version = :version, configuration = :configuration, sealed = :sealed, updated_at = :updated_at,
     disabled_at = :disabled_at, position = coalesce(:position::bigint, position)
   WHERE tenant = :tenant AND id = :id AND version = :expected`,
);
const FORGET_WAITING = statement(
  'webhook_forget_waiting',
  'DELETE FROM webhook_delivery WHERE tenant = :tenant AND webhook_id = :id AND due_at IS NOT NULL',
);
const REMOVE = statement(
  'webhook_remove',
  'DELETE FROM webhook WHERE tenant = :tenant AND id = :id AND version = :expected',
);
const FORGET = statement(
  'webhook_forget',
  'DELETE FROM webhook_delivery WHERE tenant = :tenant AND webhook_id = :id',
);
const MOVE = statement(
  'webhook_move',
  `UPDATE webhook SET position = :to, missed = missed + :missed
   WHERE tenant = :tenant AND id = :id AND position = :from AND disabled_at IS NULL`,
);
const PLAN = statement(
  'webhook_plan',
  `INSERT INTO webhook_delivery (tenant, webhook_id, after_sequence, until_sequence, events, missed, created_at)
   VALUES (:tenant, :id, :from, :to, :events, :missed, :created_at)`,
);
const TAKE = statement(
  'webhook_take',
  `UPDATE webhook_delivery SET attempts = attempts + 1, attempted_at = :now, due_at = :until
   WHERE tenant = :tenant AND (webhook_id, after_sequence) IN (
     SELECT webhook_id, after_sequence ${DUE} AND due_at <= :now ORDER BY due_at, after_sequence LIMIT :limit)
   RETURNING ${TAKEN_DELIVERY.columns}`,
);
const SETTLE = statement(
  'webhook_settle',
  `UPDATE webhook_delivery SET state = :state, due_at = :due_at, problem = :problem WHERE ${STILL_TAKEN}`,
);
const DELIVERED = statement('webhook_delivered', `DELETE FROM webhook_delivery WHERE ${STILL_TAKEN}`);
const COUNT_DELIVERED = statement(
  'webhook_count_delivered',
  `UPDATE webhook SET delivered_at = :at, delivered = delivered + :events
   WHERE tenant = :tenant AND id = :webhook_id`,
);
const REDELIVER = statement(
  'webhook_redeliver',
  `UPDATE webhook_delivery SET state = 'waiting', due_at = :now WHERE ${FAILED}`,
);
const DROP = statement('webhook_drop', `DELETE FROM webhook_delivery WHERE ${FAILED}`);
const SWEEP = statement(
  'webhook_sweep',
  `DELETE FROM webhook_delivery WHERE tenant = :tenant AND (webhook_id, after_sequence) IN (
     SELECT webhook_id, after_sequence FROM webhook_delivery
     WHERE tenant = :tenant AND due_at IS NULL AND attempted_at < :before ORDER BY attempted_at LIMIT :limit)`,
);

type Read = 'find' | 'page' | 'deliveries' | 'toPlan' | 'nextDue' | 'figures' | 'backlogs';

export const webhooks: TenantNoun<WebhookStore, Read> = {
  reads: {
    find:
      ({ primary }) =>
      async (tenant, id) =>
        WEBHOOK.readOptional((await primary.rows(tenant, FIND, { id }))[0]),
    page:
      ({ primary }) =>
      async (tenant, after, limit) =>
        (await primary.rows(tenant, PAGE, { after: after ?? '', limit })).map(WEBHOOK.read),
    deliveries:
      ({ primary }) =>
      async (tenant, id, after, limit) =>
        (await primary.rows(tenant, DELIVERIES, { id, after, limit })).map(WEBHOOK_DELIVERY.read),
    toPlan:
      ({ primary }) =>
      async (tenant, failedMax) =>
        (await primary.rows(tenant, TO_PLAN, { failed_max: failedMax })).map(WEBHOOK.read),
    nextDue:
      ({ primary }) =>
      async (tenant) => {
        const [row] = await primary.rows(tenant, NEXT_DUE, {});
        return row === undefined ? undefined : Number(row['due_at']);
      },
    figures:
      ({ primary }) =>
      async (tenant) => {
        const [webhooks, [deliveries]] = await Promise.all([
          primary.rows(tenant, BEHIND, {}),
          primary.rows(tenant, DELIVERY_FIGURES, {}),
        ]);
        const { waiting, failed, oldest = null } = deliveries ?? {};
        return {
          behind: webhooks.reduce((sum, { behind }) => sum + Number(behind), 0),
          waiting: Number(waiting ?? 0),
          failed: Number(failed ?? 0),
          oldest: oldest === null ? undefined : Number(oldest),
        };
      },
    backlogs:
      ({ primary }) =>
      async (tenant) =>
        (await primary.rows(tenant, BACKLOGS, {})).map(WEBHOOK_BACKLOG.read),
  },
  writes: {
    create: {
      locksTenant: true,
      async interactive(transaction, tenant, webhook, max, event) {
        const counted = await one(transaction.query(COUNT, { tenant }));
        if (Number(counted?.['webhooks']) >= max) return false;
        await transaction.query(INSERT, { tenant, ...WEBHOOK.writeNamed(webhook) });
        await transaction.query(LIST, { tenant });
        await record(transaction, tenant, event);
        return true;
      },
    },
    replace: {
      locksTenant: true,
      async interactive(transaction, tenant, webhook, expected, { event, position = null }) {
        const { id, version, configuration, sealed, updated_at, disabled_at } = webhook;
        const content = { id, version, configuration, sealed, updated_at, disabled_at };
        const replaced = transaction.query(REPLACE, { tenant, ...content, position, expected });
        if ((await changed(replaced)) !== 1) return false;
        if (position !== null) await transaction.query(FORGET_WAITING, { tenant, id });
        await record(transaction, tenant, event);
        return true;
      },
    },
    delete: {
      locksTenant: true,
      async interactive(transaction, tenant, id, expected, event) {
        if ((await changed(transaction.query(REMOVE, { tenant, id, expected }))) !== 1) return false;
        await transaction.query(FORGET, { tenant, id });
        await transaction.query(UNLIST, { tenant });
        await record(transaction, tenant, event);
        return true;
      },
    },
    plan: {
      locksTenant: true,
      async interactive(transaction, tenant, id, { from, to, delivery }) {
        const place = { tenant, id, from, to };
        const moved = transaction.query(MOVE, { ...place, missed: delivery?.missed ?? 0 });
        if ((await changed(moved)) !== 1) return false;
        if (delivery !== undefined) {
          const { events, missed, created_at } = delivery;
          await transaction.query(PLAN, { ...place, events, missed, created_at });
        }
        return true;
      },
    },
    take: {
      locksTenant: true,
      pipelined: async (transaction, tenant, { now, until, limit }) =>
        (await transaction.query(TAKE, { tenant, now, until, limit })).rows.map(TAKEN_DELIVERY.read),
    },
    settle: {
      locksTenant: true,
      async interactive(transaction, tenant, taken, outcome) {
        const { webhook_id, after_sequence, attempts, events } = taken;
        const place = { tenant, webhook_id, after_sequence, attempts };
        if (outcome.outcome !== 'delivered')
          return (await changed(transaction.query(SETTLE, { ...place, ...unsettled(outcome) }))) === 1;
        if ((await changed(transaction.query(DELIVERED, place))) !== 1) return false;
        await transaction.query(COUNT_DELIVERED, { tenant, webhook_id, at: outcome.at, events });
        return true;
      },
    },
    redeliver: {
      locksTenant: true,
      async interactive(transaction, tenant, id, after, now, event) {
        const place = { tenant, id, after: after ?? null, now };
        const count = await changed(transaction.query(REDELIVER, place));
        if (count > 0) await record(transaction, tenant, event);
        return count;
      },
    },
    drop: {
      locksTenant: true,
      async interactive(transaction, tenant, id, after, event) {
        const count = await changed(transaction.query(DROP, { tenant, id, after: after ?? null }));
        if (count > 0) await record(transaction, tenant, event);
        return count;
      },
    },
    sweepFailed: {
      locksTenant: false,
      pipelined: (transaction, tenant, before, limit) =>
        changed(transaction.query(SWEEP, { tenant, before, limit })),
    },
  },
};

function unsettled(outcome: Exclude<DeliveryOutcome, { readonly outcome: 'delivered' }>): Values {
  return outcome.outcome === 'failed'
    ? { state: 'failed', due_at: null, problem: outcome.problem }
    : { state: 'waiting', due_at: outcome.due_at, problem: outcome.problem };
}
