import type { DatabaseSync } from 'node:sqlite';
import type { EventStreamStore, StreamContent, StreamOutcome } from '../../ports/event-stream-store.ts';
import type { StreamId, TenantId } from '../../spec/identifiers.ts';
import { EVENT_STREAM, EXCLUDED_SUBJECT, SECURITY_EVENT, TAKEN_STREAM } from '../rows.ts';
import { NEXT_DUE } from '../signal-facts.ts';
import { eventRecording } from './audit.ts';
import type { TenantNoun } from './noun.ts';

const STREAM = `SELECT ${EVENT_STREAM.columns} FROM event_stream WHERE tenant = ?`;
const FAILED = `tenant = :tenant AND stream_id = :id AND state = 'failed' AND sequence = coalesce(:sequence, sequence)`;

type Read = 'find' | 'ofClient' | 'page' | 'events' | 'excluded' | 'nextDue' | 'figures';

export const eventStreams: TenantNoun<EventStreamStore, Read> = {
  reads: {
    find({ lookUps }) {
      const find = lookUps.prepare(`${STREAM} AND id = ?`);
      return (tenant, id) => EVENT_STREAM.readOptional(find.get(tenant, id));
    },
    ofClient({ lookUps }) {
      const select = lookUps.prepare(`${STREAM} AND client_id = ? AND instance = ? ORDER BY id`);
      return (tenant, { client_id, instance }) =>
        select.all(tenant, client_id, instance).map(EVENT_STREAM.read);
    },
    page({ lookUps }) {
      const page = lookUps.prepare(`${STREAM} AND id > ? ORDER BY id LIMIT ?`);
      return (tenant, after, limit) => page.all(tenant, after ?? '', limit).map(EVENT_STREAM.read);
    },
    events({ lookUps }) {
      const page = lookUps.prepare(`
        SELECT ${SECURITY_EVENT.columns} FROM security_event
        WHERE tenant = ? AND stream_id = ? AND state = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
      return (tenant, id, state, after, limit) =>
        page.all(tenant, id, state, after, limit).map(SECURITY_EVENT.read);
    },
    excluded({ lookUps }) {
      const select = lookUps.prepare(`
        SELECT ${EXCLUDED_SUBJECT.columns} FROM event_stream_subject WHERE tenant = ? AND stream_id = ? ORDER BY key`);
      return (tenant, id) => select.all(tenant, id).map(EXCLUDED_SUBJECT.read);
    },
    nextDue({ lookUps }) {
      const next = lookUps.prepare(`
        SELECT due_at FROM event_stream WHERE tenant = ? AND due_at IS NOT NULL ORDER BY due_at LIMIT 1`);
      return (tenant) => {
        const row = next.get(tenant);
        return row === undefined ? undefined : Number(row['due_at']);
      };
    },
    figures({ lookUps }) {
      const held = lookUps.prepare(
        'SELECT coalesce(sum(held), 0) AS held FROM event_stream WHERE tenant = ?',
      );
      const failed = lookUps.prepare(
        "SELECT count(*) AS failed FROM security_event WHERE tenant = ? AND state = 'failed'",
      );
      return (tenant) => {
        const failures = Number(failed.get(tenant)?.['failed']);
        return { waiting: Number(held.get(tenant)?.['held']) - failures, failed: failures };
      };
    },
  },
  writes: {
    create(database) {
      const place = EVENT_STREAM.columns.split(', ').map(() => '?');
      const client = database.prepare(
        'SELECT 1 FROM client WHERE tenant = ? AND client_id = ? AND instance = ?',
      );
      const count = database.prepare(
        'SELECT count(*) AS streams FROM event_stream WHERE tenant = ? AND client_id = ? AND instance = ?',
      );
      const insert = database.prepare(
        `INSERT INTO event_stream (tenant, ${EVENT_STREAM.columns}) VALUES (?, ${place.join(', ')})`,
      );
      const list = database.prepare(
        'INSERT INTO event_stream_tenant (tenant) VALUES (?) ON CONFLICT DO NOTHING',
      );
      const record = eventRecording(database);
      return (tenant, stream, max, event) => {
        const of = [tenant, stream.client_id, stream.instance] as const;
        if (client.get(...of) === undefined) return false;
        if (Number(count.get(...of)?.['streams']) >= max) return false;
        insert.run(tenant, ...EVENT_STREAM.write(stream));
        list.run(tenant);
        record(tenant, event);
        return true;
      };
    },
    replace: replacing,
    delete(database) {
      const remove = removal(database);
      const record = eventRecording(database);
      return (tenant, id, event) => {
        if (!remove(tenant, id)) return false;
        record(tenant, event);
        return true;
      };
    },
    verify(database) {
      const ask = database.prepare(`
        UPDATE event_stream SET verified_at = :at, sequence = sequence + 1, held = held + 1
        WHERE tenant = :tenant AND id = :id AND status <> 'disabled' AND held + 1 < held_max
          AND coalesce(verified_at, -1) < :before RETURNING sequence`);
      const asked = database.prepare('SELECT verified_at FROM event_stream WHERE tenant = ? AND id = ?');
      const append = appending(database);
      const wake = waking(database);
      return (tenant, id, event, before) => {
        const raised = ask.get({ tenant, id, at: event.at, before });
        if (raised === undefined)
          return Number(asked.get(tenant, id)?.['verified_at'] ?? -1) >= before ? 'too_soon' : 'refused';
        append(tenant, id, Number(raised['sequence']), event);
        wake(tenant, id);
        return 'queued';
      };
    },
    exclude(database) {
      const others = database.prepare(
        'SELECT count(*) AS others FROM event_stream_subject WHERE tenant = ? AND stream_id = ? AND key <> ?',
      );
      const insert = database.prepare(`
        INSERT INTO event_stream_subject (tenant, stream_id, key, content)
        SELECT ?1, ?2, ?3, ?4 FROM event_stream WHERE tenant = ?1 AND id = ?2 ON CONFLICT DO NOTHING`);
      return (tenant, id, { key, content }, max) => {
        if (Number(others.get(tenant, id, key)?.['others']) >= max) return false;
        insert.run(tenant, id, key, content);
        return true;
      };
    },
    include(database) {
      const remove = database.prepare(
        'DELETE FROM event_stream_subject WHERE tenant = ? AND stream_id = ? AND key = ?',
      );
      return (tenant, id, key) => void remove.run(tenant, id, key);
    },
    take(database) {
      const take = database.prepare(`
        UPDATE event_stream SET lease = lease + 1, attempts = attempts + 1, attempted_at = ?2, due_at = ?3
        WHERE tenant = ?1 AND id IN (
          SELECT id FROM event_stream WHERE tenant = ?1 AND due_at <= ?2 ORDER BY due_at LIMIT ?4)
        RETURNING ${TAKEN_STREAM.columns}`);
      return (tenant, { now, until, limit }) => take.all(tenant, now, until, limit).map(TAKEN_STREAM.read);
    },
    settle: settling,
    acknowledge(database) {
      const remove = database.prepare(
        "DELETE FROM security_event WHERE tenant = ? AND stream_id = ? AND sequence = ? AND state = 'waiting'",
      );
      const fail = failing(database);
      const count = database.prepare(`
        UPDATE event_stream SET held = held - ?3, delivered = delivered + ?3, delivered_at = ?4
        WHERE tenant = ?1 AND id = ?2`);
      const release = releasing(database);
      const removed = (tenant: TenantId, id: StreamId, sequences: readonly number[]): number =>
        sequences.reduce((sum, each) => sum + Number(remove.run(tenant, id, each).changes), 0);
      return (tenant, id, { accepted, refused, unneeded = [], at }) => {
        const taken = removed(tenant, id, accepted);
        for (const { sequence, problem } of refused) fail.run(at, problem, tenant, id, sequence);
        if (taken > 0) count.run(tenant, id, taken, at);
        if (unneeded.length > 0) release.run(removed(tenant, id, unneeded), tenant, id);
        return taken;
      };
    },
    redeliver(database) {
      const redeliver = database.prepare(
        `UPDATE security_event SET state = 'waiting', problem = NULL WHERE ${FAILED}`,
      );
      const wake = waking(database);
      const record = eventRecording(database);
      return (tenant, id, sequence, event) => {
        const count = Number(redeliver.run({ tenant, id, sequence: sequence ?? null }).changes);
        if (count === 0) return 0;
        wake(tenant, id);
        record(tenant, event);
        return count;
      };
    },
    drop(database) {
      const drop = database.prepare(`DELETE FROM security_event WHERE ${FAILED}`);
      const release = releasing(database);
      const record = eventRecording(database);
      return (tenant, id, sequence, event) => {
        const count = Number(drop.run({ tenant, id, sequence: sequence ?? null }).changes);
        if (count === 0) return 0;
        release.run(count, tenant, id);
        record(tenant, event);
        return count;
      };
    },
    sweep: sweeping,
  },
};

const appending = (database: DatabaseSync) => {
  const insert = database.prepare(
    'INSERT INTO security_event (tenant, stream_id, sequence, kind, content, at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return (
    tenant: TenantId,
    id: StreamId,
    sequence: number,
    { kind, content, at }: { readonly kind: string; readonly content: string; readonly at: number | null },
  ): void => void insert.run(tenant, id, sequence, kind, content, at);
};

/** Lets a process find a stream that has something to push, and no other one. */
const waking = (database: DatabaseSync) => {
  const wake = database.prepare(
    `UPDATE event_stream SET due_at = ${NEXT_DUE} WHERE tenant = :tenant AND id = :id`,
  );
  return (tenant: TenantId, id: StreamId): void => void wake.run({ tenant, id });
};

const failing = (database: DatabaseSync) =>
  database.prepare(`
    UPDATE security_event SET state = 'failed', attempted_at = ?, problem = ?
    WHERE tenant = ? AND stream_id = ? AND sequence = ? AND state = 'waiting'`);

const releasing = (database: DatabaseSync) =>
  database.prepare('UPDATE event_stream SET held = held - ? WHERE tenant = ? AND id = ?');

function replacing(database: DatabaseSync) {
  const replace = database.prepare(`
    UPDATE event_stream SET (version, configuration, sealed, method, events, status, status_reason, held_max, updated_at) =
      (?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE tenant = ? AND id = ? AND version = ?`);
  const discard = database.prepare(
    "DELETE FROM security_event WHERE tenant = ? AND stream_id = ? AND state = 'waiting'",
  );
  const notify = database.prepare(`
    UPDATE event_stream SET sequence = sequence + 1, held = held + 1, drains_to = sequence + 1
    WHERE tenant = ? AND id = ? RETURNING sequence`);
  const release = releasing(database);
  const append = appending(database);
  const wake = waking(database);
  const record = eventRecording(database);
  return (tenant: TenantId, ...[stream, expected, change]: Parameters<EventStreamStore['replace']>) => {
    const { id, version } = stream;
    if (replace.run(version, ...contentColumns(stream), tenant, id, expected).changes !== 1) return false;
    if (change.discards === true) release.run(Number(discard.run(tenant, id).changes), tenant, id);
    if (change.notice !== undefined)
      append(tenant, id, Number(notify.get(tenant, id)?.['sequence']), change.notice);
    wake(tenant, id);
    if (change.event !== undefined) record(tenant, change.event);
    return true;
  };
}

const contentColumns = (stream: StreamContent) => {
  const { configuration, sealed, method, events, status, status_reason, held_max, updated_at } = stream;
  return [configuration, sealed, method, events, status, status_reason, held_max, updated_at] as const;
};

function settling(database: DatabaseSync) {
  const holds = database.prepare('SELECT 1 FROM event_stream WHERE tenant = ? AND id = ? AND lease = ?');
  const remove = database.prepare(
    'DELETE FROM security_event WHERE tenant = ? AND stream_id = ? AND sequence = ?',
  );
  const fail = failing(database);
  const count = database.prepare(`
    UPDATE event_stream SET held = held - ?, delivered = delivered + ?, delivered_at = coalesce(?, delivered_at)
    WHERE tenant = ? AND id = ?`);
  const postpone = database.prepare(
    'UPDATE event_stream SET due_at = ?, problem = ? WHERE tenant = ? AND id = ?',
  );
  const advance = database.prepare(
    'UPDATE event_stream SET due_at = NULL, attempts = 0, problem = ? WHERE tenant = ? AND id = ?',
  );
  const wake = waking(database);
  const settle = (tenant: TenantId, id: StreamId, outcome: StreamOutcome, now: number): void => {
    if (outcome.outcome === 'postponed')
      return void postpone.run(outcome.due_at, outcome.problem, tenant, id);
    if (outcome.outcome === 'failed') fail.run(now, outcome.problem, tenant, id, outcome.sequence);
    if (outcome.outcome === 'delivered' || outcome.outcome === 'unneeded') {
      const removed = Number(remove.run(tenant, id, outcome.sequence).changes);
      const told = outcome.outcome === 'delivered' ? ([removed, outcome.at] as const) : ([0, null] as const);
      count.run(removed, ...told, tenant, id);
    }
    advance.run(outcome.outcome === 'failed' ? outcome.problem : null, tenant, id);
    wake(tenant, id);
  };
  return (tenant: TenantId, ...[taken, outcome, now]: Parameters<EventStreamStore['settle']>): boolean => {
    if (holds.get(tenant, taken.id, taken.lease) === undefined) return false;
    settle(tenant, taken.id, outcome, now);
    return true;
  };
}

/** Removes a stream with all that belongs to it. */
function removal(database: DatabaseSync): (tenant: TenantId, id: StreamId) => boolean {
  const remove = database.prepare('DELETE FROM event_stream WHERE tenant = ? AND id = ?');
  const removeEvents = database.prepare('DELETE FROM security_event WHERE tenant = ? AND stream_id = ?');
  const removeSubjects = database.prepare(
    'DELETE FROM event_stream_subject WHERE tenant = ? AND stream_id = ?',
  );
  const unlist = database.prepare(`
    DELETE FROM event_stream_tenant WHERE tenant = ?1
      AND NOT EXISTS (SELECT 1 FROM event_stream WHERE tenant = ?1)`);
  return (tenant, id) => {
    if (remove.run(tenant, id).changes !== 1) return false;
    removeEvents.run(tenant, id);
    removeSubjects.run(tenant, id);
    unlist.run(tenant);
    return true;
  };
}

function sweeping(database: DatabaseSync): (tenant: TenantId, before: number, limit: number) => number {
  const failed = database.prepare(`
    DELETE FROM security_event WHERE tenant = ?1 AND (stream_id, sequence) IN (
      SELECT stream_id, sequence FROM security_event
      WHERE tenant = ?1 AND state = 'failed' AND attempted_at < ?2 ORDER BY attempted_at LIMIT ?3)
    RETURNING stream_id`);
  const orphans = database.prepare(`
    SELECT id FROM event_stream WHERE tenant = ?1 AND NOT EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1
        AND client.client_id = event_stream.client_id AND client.instance = event_stream.instance) LIMIT ?2`);
  const release = releasing(database);
  const remove = removal(database);
  return (tenant, before, limit) => {
    const removed = failed.all(tenant, before, limit);
    for (const { stream_id } of removed) release.run(1, tenant, String(stream_id));
    const gone = orphans.all(tenant, limit);
    for (const { id } of gone) remove(tenant, id as StreamId);
    return Math.max(removed.length, gone.length);
  };
}
