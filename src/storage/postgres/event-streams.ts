import type {
  EventStreamStore,
  NewSecurityEvent,
  StreamOutcome,
  TakenStream,
} from '../../ports/event-stream-store.ts';
import type { StreamId, TenantId } from '../../spec/identifiers.ts';
import { EVENT_STREAM, EXCLUDED_SUBJECT, SECURITY_EVENT, TAKEN_STREAM } from '../rows.ts';
import { record } from './audit.ts';
import {
  ACKNOWLEDGED,
  APPEND,
  CLIENT,
  COUNT_DELIVERED,
  COUNT_OF_CLIENT,
  DISCARD,
  DROP,
  EVENTS,
  EXCLUDE,
  EXCLUDED,
  FAIL,
  FAILED,
  FIND,
  HELD,
  HOLDS,
  INCLUDE,
  INSERT,
  LIST,
  NEXT,
  NOTIFY,
  OF_CLIENT,
  ORPHANS,
  OTHERS_EXCLUDED,
  PAGE,
  POSTPONE,
  REDELIVER,
  RELEASE,
  REMOVE,
  REMOVE_EVENT,
  REMOVE_EVENTS,
  REMOVE_SUBJECTS,
  REPLACE,
  SETTLED,
  SWEEP_FAILED,
  TAKE,
  UNLIST,
  VERIFIED,
  VERIFY,
  WAKE,
} from './event-stream-statements.ts';
import { changed, one, type TenantNoun, type Transaction } from './noun.ts';

type Read = 'find' | 'ofClient' | 'page' | 'events' | 'excluded' | 'nextDue' | 'figures';

export const eventStreams: TenantNoun<EventStreamStore, Read> = {
  reads: {
    find:
      ({ primary }) =>
      async (tenant, id) =>
        EVENT_STREAM.readOptional((await primary.rows(tenant, FIND, { id }))[0]),
    ofClient:
      ({ primary }) =>
      async (tenant, { client_id, instance }) =>
        (await primary.rows(tenant, OF_CLIENT, { client_id, instance })).map(EVENT_STREAM.read),
    page:
      ({ primary }) =>
      async (tenant, after, limit) =>
        (await primary.rows(tenant, PAGE, { after: after ?? '', limit })).map(EVENT_STREAM.read),
    events:
      ({ primary }) =>
      async (tenant, id, state, after, limit) =>
        (await primary.rows(tenant, EVENTS, { id, state, after, limit })).map(SECURITY_EVENT.read),
    excluded:
      ({ primary }) =>
      async (tenant, id) =>
        (await primary.rows(tenant, EXCLUDED, { id })).map(EXCLUDED_SUBJECT.read),
    nextDue:
      ({ primary }) =>
      async (tenant) => {
        const [row] = await primary.rows(tenant, NEXT, {});
        return row === undefined ? undefined : Number(row['due_at']);
      },
    figures:
      ({ primary }) =>
      async (tenant) => {
        const [streams, [counted]] = await Promise.all([
          primary.rows(tenant, HELD, {}),
          primary.rows(tenant, FAILED, {}),
        ]);
        const failed = Number(counted?.['failed'] ?? 0);
        return { waiting: streams.reduce((sum, { held }) => sum + Number(held), 0) - failed, failed };
      },
  },
  writes: {
    create: {
      locksTenant: true,
      async interactive(transaction, tenant, stream, max, event) {
        const { client_id, instance } = stream;
        const of = { tenant, client_id, instance };
        if ((await one(transaction.query(CLIENT, of))) === undefined) return false;
        const counted = await one(transaction.query(COUNT_OF_CLIENT, of));
        if (Number(counted?.['streams']) >= max) return false;
        await transaction.query(INSERT, { tenant, ...EVENT_STREAM.writeNamed(stream) });
        await transaction.query(LIST, { tenant });
        await record(transaction, tenant, event);
        return true;
      },
    },
    replace: {
      locksTenant: true,
      async interactive(transaction, tenant, stream, expected, change) {
        const { id, version, configuration, sealed, method, events, status, status_reason } = stream;
        const { held_max, updated_at } = stream;
        const content = { version, configuration, sealed, method, events, status, status_reason };
        const values = { tenant, id, expected, ...content, held_max, updated_at };
        if ((await changed(transaction.query(REPLACE, values))) !== 1) return false;
        if (change.discards === true)
          await release(transaction, tenant, id, await changed(transaction.query(DISCARD, { tenant, id })));
        if (change.notice !== undefined) {
          const raised = await one(transaction.query(NOTIFY, { tenant, id }));
          await append(transaction, tenant, id, { ...change.notice, sequence: Number(raised?.['sequence']) });
        }
        await transaction.query(WAKE, { tenant, id });
        await record(transaction, tenant, change.event);
        return true;
      },
    },
    delete: {
      locksTenant: true,
      async interactive(transaction, tenant, id, event) {
        if (!(await remove(transaction, tenant, id))) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
    verify: {
      locksTenant: true,
      async interactive(transaction, tenant, id, event, before) {
        const raised = await one(transaction.query(VERIFY, { tenant, id, at: event.at, before }));
        if (raised === undefined) {
          const asked = await one(transaction.query(VERIFIED, { tenant, id }));
          return Number(asked?.['verified_at'] ?? -1) >= before ? 'too_soon' : 'refused';
        }
        await append(transaction, tenant, id, { ...event, sequence: Number(raised['sequence']) });
        await transaction.query(WAKE, { tenant, id });
        return 'queued';
      },
    },
    exclude: {
      locksTenant: true,
      async interactive(transaction, tenant, id, { key, content }, max) {
        const counted = await one(transaction.query(OTHERS_EXCLUDED, { tenant, id, key }));
        if (Number(counted?.['others']) >= max) return false;
        await transaction.query(EXCLUDE, { tenant, id, key, content });
        return true;
      },
    },
    include: {
      locksTenant: false,
      async pipelined(transaction, tenant, id, key) {
        await transaction.query(INCLUDE, { tenant, id, key });
      },
    },
    take: {
      locksTenant: true,
      pipelined: async (transaction, tenant, { now, until, limit }) =>
        (await transaction.query(TAKE, { tenant, now, until, limit })).rows.map(TAKEN_STREAM.read),
    },
    settle: {
      locksTenant: true,
      async interactive(transaction, tenant, taken: TakenStream, outcome, now) {
        const { id, lease } = taken;
        if ((await one(transaction.query(HOLDS, { tenant, id, lease }))) === undefined) return false;
        await settle(transaction, tenant, id, { outcome, now });
        return true;
      },
    },
    acknowledge: {
      locksTenant: true,
      async interactive(transaction, tenant, id, { accepted, refused, unneeded = [], at }) {
        const removing = async (sequences: readonly number[]): Promise<number> =>
          await changed(transaction.query(ACKNOWLEDGED, { tenant, id, sequences: sequences.map(String) }));
        const removed = await removing(accepted);
        for (const { sequence, problem } of refused)
          await transaction.query(FAIL, { tenant, id, sequence, problem, now: at });
        if (removed > 0)
          await transaction.query(COUNT_DELIVERED, { tenant, id, removed, delivered: removed, at });
        if (unneeded.length > 0) await release(transaction, tenant, id, await removing(unneeded));
        return removed;
      },
    },
    redeliver: {
      locksTenant: true,
      async interactive(transaction, tenant, id, sequence, event) {
        const place = { tenant, id, sequence: sequence ?? null };
        const count = await changed(transaction.query(REDELIVER, place));
        if (count === 0) return 0;
        await transaction.query(WAKE, { tenant, id });
        await record(transaction, tenant, event);
        return count;
      },
    },
    drop: {
      locksTenant: true,
      async interactive(transaction, tenant, id, sequence, event) {
        const place = { tenant, id, sequence: sequence ?? null };
        const count = await changed(transaction.query(DROP, place));
        if (count === 0) return 0;
        await release(transaction, tenant, id, count);
        await record(transaction, tenant, event);
        return count;
      },
    },
    sweep: {
      locksTenant: true,
      async interactive(transaction, tenant, before, limit) {
        const { rows } = await transaction.query(SWEEP_FAILED, { tenant, before, limit });
        for (const { stream_id } of rows) await release(transaction, tenant, stream_id as StreamId, 1);
        const gone = await transaction.query(ORPHANS, { tenant, limit });
        for (const { id } of gone.rows) await remove(transaction, tenant, id as StreamId);
        return Math.max(rows.length, gone.rows.length);
      },
    },
  },
};

async function append(
  transaction: Transaction,
  tenant: TenantId,
  id: StreamId,
  { sequence, kind, content, at }: NewSecurityEvent & { readonly sequence: number },
): Promise<void> {
  await transaction.query(APPEND, { tenant, id, sequence, kind, content, at });
}

/** Gives places of the outbox free. */
async function release(
  transaction: Transaction,
  tenant: TenantId,
  id: StreamId,
  count: number,
): Promise<void> {
  await transaction.query(RELEASE, { tenant, id, count });
}

async function settle(
  transaction: Transaction,
  tenant: TenantId,
  id: StreamId,
  { outcome, now }: { readonly outcome: StreamOutcome; readonly now: number },
): Promise<void> {
  if (outcome.outcome === 'postponed') {
    await transaction.query(POSTPONE, { tenant, id, due_at: outcome.due_at, problem: outcome.problem });
    return;
  }
  if (outcome.outcome === 'failed') {
    const { sequence, problem } = outcome;
    await transaction.query(FAIL, { tenant, id, sequence, problem, now });
  }
  if (outcome.outcome === 'delivered' || outcome.outcome === 'unneeded') {
    const { sequence } = outcome;
    const removed = await changed(transaction.query(REMOVE_EVENT, { tenant, id, sequence }));
    const told =
      outcome.outcome === 'delivered' ? { delivered: removed, at: outcome.at } : { delivered: 0, at: null };
    await transaction.query(COUNT_DELIVERED, { tenant, id, removed, ...told });
  }
  const problem = outcome.outcome === 'failed' ? outcome.problem : null;
  await transaction.query(SETTLED, { tenant, id, problem });
  await transaction.query(WAKE, { tenant, id });
}

/** Removes a stream with all that belongs to it. */
async function remove(transaction: Transaction, tenant: TenantId, id: StreamId): Promise<boolean> {
  if ((await changed(transaction.query(REMOVE, { tenant, id }))) !== 1) return false;
  await transaction.query(REMOVE_EVENTS, { tenant, id });
  await transaction.query(REMOVE_SUBJECTS, { tenant, id });
  await transaction.query(UNLIST, { tenant });
  return true;
}
