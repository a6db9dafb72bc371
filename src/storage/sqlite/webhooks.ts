import type { DatabaseSync } from 'node:sqlite';
import type { DeliveryOutcome, WebhookStore } from '../../ports/webhook-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { TAKEN_DELIVERY, WEBHOOK, WEBHOOK_BACKLOG, WEBHOOK_DELIVERY } from '../rows.ts';
import { eventRecording, HEAD } from './audit.ts';
import type { TenantNoun } from './noun.ts';

const PLACE = 'tenant = ? AND webhook_id = ? AND after_sequence = ?';
/** A later attempt has raised `attempts`; a failed delivery has no `due_at`. */
const STILL_TAKEN = `${PLACE} AND attempts = ? AND due_at IS NOT NULL`;
const DUE = `
  FROM webhook_delivery JOIN webhook ON webhook.tenant = ?1 AND webhook.id = webhook_id
  WHERE webhook_delivery.tenant = ?1 AND due_at IS NOT NULL AND disabled_at IS NULL`;
const FAILED = `tenant = ?1 AND webhook_id = ?2 AND state = 'failed' AND after_sequence = coalesce(?3, after_sequence)`;

type Read = 'find' | 'page' | 'deliveries' | 'toPlan' | 'nextDue' | 'figures' | 'backlogs';

export const webhooks: TenantNoun<WebhookStore, Read> = {
  reads: {
    find({ lookUps }) {
      const find = lookUps.prepare(`SELECT ${WEBHOOK.columns} FROM webhook WHERE tenant = ? AND id = ?`);
      return (tenant, id) => WEBHOOK.readOptional(find.get(tenant, id));
    },
    page({ lookUps }) {
      const page = lookUps.prepare(
        `SELECT ${WEBHOOK.columns} FROM webhook WHERE tenant = ? AND id > ? ORDER BY id LIMIT ?`,
      );
      return (tenant, after, limit) => page.all(tenant, after ?? '', limit).map(WEBHOOK.read);
    },
    deliveries({ lookUps }) {
      const page = lookUps.prepare(`
        SELECT ${WEBHOOK_DELIVERY.columns} FROM webhook_delivery
        WHERE tenant = ? AND webhook_id = ? AND after_sequence > ? ORDER BY after_sequence LIMIT ?`);
      return (tenant, id, after, limit) => page.all(tenant, id, after, limit).map(WEBHOOK_DELIVERY.read);
    },
    toPlan({ lookUps }) {
      const behind = lookUps.prepare(`
        SELECT ${WEBHOOK.columns} FROM webhook
        WHERE tenant = ?1 AND disabled_at IS NULL AND position < ${HEAD}
          AND NOT EXISTS (SELECT 1 FROM webhook_delivery
            WHERE tenant = ?1 AND webhook_id = webhook.id AND due_at IS NOT NULL)
          AND (SELECT count(*) FROM webhook_delivery
            WHERE tenant = ?1 AND webhook_id = webhook.id AND state = 'failed') < ?2
        ORDER BY id`);
      return (tenant, failedMax) => behind.all(tenant, failedMax).map(WEBHOOK.read);
    },
    nextDue({ lookUps }) {
      const next = lookUps.prepare(`SELECT due_at ${DUE} ORDER BY due_at LIMIT 1`);
      return (tenant) => {
        const row = next.get(tenant);
        return row === undefined ? undefined : Number(row['due_at']);
      };
    },
    figures({ lookUps }) {
      const behind = lookUps.prepare(`
        SELECT coalesce(sum(${HEAD} - position), 0) AS behind FROM webhook WHERE tenant = ?1 AND disabled_at IS NULL`);
      const deliveries = lookUps.prepare(`
        SELECT count(due_at) AS waiting, count(*) - count(due_at) AS failed,
          min(CASE WHEN due_at IS NULL THEN NULL ELSE created_at END) AS oldest
        FROM webhook_delivery WHERE tenant = ?`);
      return (tenant) => {
        const { waiting, failed, oldest = null } = deliveries.get(tenant) ?? {};
        return {
          behind: Number(behind.get(tenant)?.['behind'] ?? 0),
          waiting: Number(waiting ?? 0),
          failed: Number(failed ?? 0),
          oldest: oldest === null ? undefined : Number(oldest),
        };
      };
    },
    backlogs({ lookUps }) {
      const backlogs = lookUps.prepare(`
        SELECT webhook_id, count(due_at) AS waiting, count(*) - count(due_at) AS failed
        FROM webhook_delivery WHERE tenant = ? GROUP BY webhook_id`);
      return (tenant) => backlogs.all(tenant).map(WEBHOOK_BACKLOG.read);
    },
  },
  writes: {
    create(database) {
      const places = WEBHOOK.columns.split(', ').map(() => '?');
      const count = database.prepare('SELECT count(*) AS webhooks FROM webhook WHERE tenant = ?');
      const insert = database.prepare(
        `INSERT INTO webhook (tenant, ${WEBHOOK.columns}) VALUES (?, ${places.join(', ')})`,
      );
      const list = database.prepare('INSERT INTO webhook_tenant (tenant) VALUES (?) ON CONFLICT DO NOTHING');
      const record = eventRecording(database);
      return (tenant, webhook, max, event) => {
        if (Number(count.get(tenant)?.['webhooks']) >= max) return false;
        insert.run(tenant, ...WEBHOOK.write(webhook));
        list.run(tenant);
        record(tenant, event);
        return true;
      };
    },
    replace(database) {
      const replace = database.prepare(`
        UPDATE webhook SET (version, configuration, sealed, updated_at, disabled_at) = (?, ?, ?, ?, ?),
          position = coalesce(?, position)
        WHERE tenant = ? AND id = ? AND version = ?`);
      const forget = database.prepare(
        'DELETE FROM webhook_delivery WHERE tenant = ? AND webhook_id = ? AND due_at IS NOT NULL',
      );
      const record = eventRecording(database);
      return (tenant, webhook, expected, { event, position = null }) => {
        const { id, version, configuration, sealed, updated_at, disabled_at } = webhook;
        const content = [version, configuration, sealed, updated_at, disabled_at] as const;
        if (replace.run(...content, position, tenant, id, expected).changes !== 1) return false;
        if (position !== null) forget.run(tenant, id);
        if (event !== undefined) record(tenant, event);
        return true;
      };
    },
    delete: deleting,
    plan(database) {
      const move = database.prepare(
        'UPDATE webhook SET position = ? , missed = missed + ? WHERE tenant = ? AND id = ? AND position = ? AND disabled_at IS NULL',
      );
      const insert = database.prepare(`
        INSERT INTO webhook_delivery (tenant, webhook_id, after_sequence, until_sequence, events, missed, created_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)`);
      return (tenant, id, { from, to, delivery }) => {
        if (move.run(to, delivery?.missed ?? 0, tenant, id, from).changes !== 1) return false;
        if (delivery === undefined) return true;
        const { events, missed, created_at } = delivery;
        insert.run(tenant, id, from, to, events, missed, created_at);
        return true;
      };
    },
    take(database) {
      const take = database.prepare(`
        UPDATE webhook_delivery SET attempts = attempts + 1, attempted_at = ?2, due_at = ?3
        WHERE tenant = ?1 AND (webhook_id, after_sequence) IN (
          SELECT webhook_id, after_sequence ${DUE} AND due_at <= ?2 ORDER BY due_at, after_sequence LIMIT ?4)
        RETURNING ${TAKEN_DELIVERY.columns}`);
      return (tenant, { now, until, limit }) => take.all(tenant, now, until, limit).map(TAKEN_DELIVERY.read);
    },
    settle: settling,
    redeliver(database) {
      const redeliver = database.prepare(
        `UPDATE webhook_delivery SET state = 'waiting', due_at = ?4 WHERE ${FAILED}`,
      );
      const record = eventRecording(database);
      return (tenant, id, after, now, event) => {
        const count = Number(redeliver.run(tenant, id, after ?? null, now).changes);
        if (count > 0) record(tenant, event);
        return count;
      };
    },
    drop(database) {
      const drop = database.prepare(`DELETE FROM webhook_delivery WHERE ${FAILED}`);
      const record = eventRecording(database);
      return (tenant, id, after, event) => {
        const count = Number(drop.run(tenant, id, after ?? null).changes);
        if (count > 0) record(tenant, event);
        return count;
      };
    },
    sweepFailed(database) {
      const sweep = database.prepare(`
        DELETE FROM webhook_delivery WHERE tenant = ?1 AND (webhook_id, after_sequence) IN (
          SELECT webhook_id, after_sequence FROM webhook_delivery
          WHERE tenant = ?1 AND due_at IS NULL AND attempted_at < ?2 ORDER BY attempted_at LIMIT ?3)`);
      return (tenant, before, limit) => Number(sweep.run(tenant, before, limit).changes);
    },
  },
};

function deleting(database: DatabaseSync) {
  const remove = database.prepare('DELETE FROM webhook WHERE tenant = ? AND id = ? AND version = ?');
  const forget = database.prepare('DELETE FROM webhook_delivery WHERE tenant = ? AND webhook_id = ?');
  const unlist = database.prepare(`
    DELETE FROM webhook_tenant WHERE tenant = ?1 AND NOT EXISTS (SELECT 1 FROM webhook WHERE tenant = ?1)`);
  const record = eventRecording(database);
  return (tenant: TenantId, ...[id, expected, event]: Parameters<WebhookStore['delete']>): boolean => {
    if (remove.run(tenant, id, expected).changes !== 1) return false;
    forget.run(tenant, id);
    unlist.run(tenant);
    record(tenant, event);
    return true;
  };
}

function settling(database: DatabaseSync) {
  const remove = database.prepare(`DELETE FROM webhook_delivery WHERE ${STILL_TAKEN}`);
  const count = database.prepare(
    'UPDATE webhook SET delivered_at = ?, delivered = delivered + ? WHERE tenant = ? AND id = ?',
  );
  const update = database.prepare(
    `UPDATE webhook_delivery SET (state, due_at, problem) = (?, ?, ?) WHERE ${STILL_TAKEN}`,
  );
  return (tenant: TenantId, ...[taken, outcome]: Parameters<WebhookStore['settle']>): boolean => {
    const place = [tenant, taken.webhook_id, taken.after_sequence, taken.attempts] as const;
    if (outcome.outcome !== 'delivered')
      return update.run(...unsettledColumns(outcome), ...place).changes === 1;
    if (remove.run(...place).changes !== 1) return false;
    count.run(outcome.at, taken.events, tenant, taken.webhook_id);
    return true;
  };
}

function unsettledColumns(outcome: Exclude<DeliveryOutcome, { readonly outcome: 'delivered' }>) {
  return outcome.outcome === 'failed'
    ? (['failed', null, outcome.problem] as const)
    : (['waiting', outcome.due_at, outcome.problem] as const);
}
