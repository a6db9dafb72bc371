import type { BackchannelAttempt, BackchannelRequestStore } from '../../ports/backchannel-request-store.ts';
import { BACKCHANNEL_BLOCK, BACKCHANNEL_REQUEST } from '../rows.ts';
import { record } from './audit.ts';
import { changed, one, type TenantNoun, type Values } from './noun.ts';
import { statement } from './statement.ts';

const { columns: COLUMNS } = BACKCHANNEL_REQUEST;
const CLIENT = 'client_id = :client_id AND client_instance = :client_instance';
const BLOCK_PLACE = `tenant = :tenant AND sub = :sub AND ${CLIENT}`;
/** The notification of a request that has one becomes due. */
const DUE_NOW = 'due_at = CASE WHEN due_at IS NULL THEN NULL ELSE :now END';

const FIND = statement(
  'backchannel_find',
  `SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = :tenant AND key = ANY(:keys)`,
);
const FIND_BY_ID = statement(
  'backchannel_find_by_id',
  `SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = :tenant AND id = :id`,
);
const OPEN_OF = statement(
  'backchannel_open_of',
  `SELECT ${COLUMNS} FROM backchannel_request
   WHERE tenant = :tenant AND sub = :sub AND state = 'open' AND expires_at > :now ORDER BY created_at, key LIMIT :limit`,
);
const PAGE = statement(
  'backchannel_page',
  `SELECT ${COLUMNS} FROM backchannel_request WHERE tenant = :tenant AND id > :after
     AND (:sub::text = '' OR sub = :sub::text) AND (:client_id::text = '' OR client_id = :client_id::text)
   ORDER BY id LIMIT :limit`,
);
const BLOCKS_OF = statement(
  'backchannel_blocks_of',
  `SELECT ${BACKCHANNEL_BLOCK.columns} FROM backchannel_block
   WHERE tenant = :tenant AND sub = :sub AND expires_at > :now ORDER BY client_id, client_instance`,
);
const NEXT_DUE = statement(
  'backchannel_next_due',
  'SELECT due_at FROM backchannel_request WHERE tenant = :tenant AND due_at IS NOT NULL ORDER BY due_at LIMIT 1',
);
const COUNT = statement(
  'backchannel_count',
  `SELECT (SELECT count(*) FROM backchannel_request
       WHERE tenant = :tenant AND person = :person AND state = 'open' AND expires_at > :now) AS of_person,
     (SELECT count(*) FROM backchannel_request
       WHERE tenant = :tenant AND ${CLIENT} AND state = 'open' AND expires_at > :now) AS of_client,
     (SELECT count(*) FROM backchannel_block WHERE ${BLOCK_PLACE} AND expires_at > :now) AS blocked`,
);
const BEGIN = statement(
  'backchannel_begin',
  `INSERT INTO backchannel_request (tenant, ${COLUMNS})
   VALUES (:tenant, ${COLUMNS.split(', ')
     .map((column) => `:${column}`)
     .join(', ')})`,
);
/** Counts the tenant among those with notifications to deliver, under the tenant's lock. */
const WAIT = statement(
  'backchannel_wait',
  'INSERT INTO backchannel_tenant (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING',
);
const REST = statement(
  'backchannel_rest',
  `DELETE FROM backchannel_tenant WHERE tenant = :tenant AND NOT EXISTS (
     SELECT 1 FROM backchannel_request WHERE tenant = :tenant AND due_at IS NOT NULL)`,
);
const RESEAL = statement(
  'backchannel_reseal',
  `UPDATE backchannel_request SET content = :content WHERE tenant = :tenant AND key = :key AND content = :former`,
);
const SLOW_DOWN = statement(
  'backchannel_slow_down',
  `UPDATE backchannel_request SET poll_interval = :longer
   WHERE tenant = :tenant AND key = :key AND poll_interval = :poll_interval AND state = 'open'`,
);
const DECIDE = statement(
  'backchannel_decide',
  `UPDATE backchannel_request SET state = :state, code = :code, ${DUE_NOW}
   WHERE tenant = :tenant AND id = :id AND state = 'open' AND expires_at > :now AND (:sub::text = '' OR sub = :sub::text)`,
);
const BLOCK = statement(
  'backchannel_block',
  `INSERT INTO backchannel_block (tenant, ${BACKCHANNEL_BLOCK.columns})
   VALUES (:tenant, :sub, :client_id, :client_instance, :now, :expires_at)
   ON CONFLICT (tenant, sub, client_id, client_instance)
     DO UPDATE SET blocked_at = excluded.blocked_at, expires_at = excluded.expires_at`,
);
const DENY_BLOCKED = statement(
  'backchannel_deny_blocked',
  `UPDATE backchannel_request SET state = 'denied', ${DUE_NOW}
   WHERE ${BLOCK_PLACE} AND state = 'open' AND expires_at > :now`,
);
const UNBLOCK = statement('backchannel_unblock', `DELETE FROM backchannel_block WHERE ${BLOCK_PLACE}`);
const TAKE = statement(
  'backchannel_take',
  `UPDATE backchannel_request SET attempts = attempts + 1, due_at = :until
   WHERE tenant = :tenant AND key IN (
     SELECT key FROM backchannel_request WHERE tenant = :tenant AND due_at <= :now ORDER BY due_at LIMIT :limit)
   RETURNING ${COLUMNS}`,
);
/** A later attempt has raised `attempts`. */
const SETTLE = statement(
  'backchannel_settle',
  `UPDATE backchannel_request SET due_at = :due_at, problem = :problem
   WHERE tenant = :tenant AND key = :key AND attempts = :attempts AND due_at IS NOT NULL`,
);
const SWEEP = statement(
  'backchannel_sweep',
  `DELETE FROM backchannel_request WHERE tenant = :tenant AND key IN
    (SELECT key FROM backchannel_request WHERE tenant = :tenant AND kept_until < :now ORDER BY kept_until LIMIT :limit)`,
);
const SWEEP_BLOCKS = statement(
  'backchannel_sweep_blocks',
  `DELETE FROM backchannel_block WHERE tenant = :tenant AND (sub, client_id, client_instance) IN
    (SELECT sub, client_id, client_instance FROM backchannel_block
     WHERE tenant = :tenant AND expires_at < :now ORDER BY expires_at LIMIT :limit)`,
);

/** All writes but the pace of a poll and a new seal lock the tenant: counts, blocks and the list of waiting tenants belong together. */
export const backchannelRequests: TenantNoun<
  BackchannelRequestStore,
  'find' | 'findById' | 'openOf' | 'page' | 'blocksOf' | 'nextDue'
> = {
  reads: {
    find:
      ({ primary }) =>
      async (tenant, key) =>
        BACKCHANNEL_REQUEST.readOptional(await primary.lookUp(tenant, FIND, key)),
    findById:
      ({ primary }) =>
      async (tenant, id) =>
        BACKCHANNEL_REQUEST.readOptional((await primary.rows(tenant, FIND_BY_ID, { id }))[0]),
    openOf:
      ({ primary }) =>
      async (tenant, sub, now, limit) =>
        (await primary.rows(tenant, OPEN_OF, { sub, now, limit })).map(BACKCHANNEL_REQUEST.read),
    page:
      ({ primary }) =>
      async (tenant, { sub = '', client_id = '' }, after, limit) =>
        (await primary.slowRows(tenant, PAGE, { sub, client_id, after, limit })).map(
          BACKCHANNEL_REQUEST.read,
        ),
    blocksOf:
      ({ primary }) =>
      async (tenant, sub, now) =>
        (await primary.rows(tenant, BLOCKS_OF, { sub, now })).map(BACKCHANNEL_BLOCK.read),
    nextDue:
      ({ primary }) =>
      async (tenant) => {
        const [row] = await primary.rows(tenant, NEXT_DUE, {});
        return row === undefined ? undefined : Number(row['due_at']);
      },
  },
  writes: {
    begin: {
      locksTenant: true,
      async interactive(transaction, tenant, request, { perPerson, perClient }, event) {
        const { person, sub, client_id, client_instance, created_at: now, due_at } = request;
        const counted = { tenant, person, sub, client_id, client_instance, now };
        const counts = await one(transaction.query(COUNT, counted));
        if (Number(counts?.['of_person']) >= perPerson) return 'too_many_of_person';
        if (Number(counts?.['of_client']) >= perClient) return 'too_many_of_client';
        const stored = Number(counts?.['blocked']) > 0 ? { ...request, sub: null } : request;
        await transaction.query(BEGIN, { tenant, ...BACKCHANNEL_REQUEST.writeNamed(stored) });
        if (due_at !== null) await transaction.query(WAIT, { tenant });
        await record(transaction, tenant, event);
        return 'begun';
      },
    },
    reseal: {
      locksTenant: false,
      pipelined: async (transaction, tenant, { key, content: former }, content) =>
        (await changed(transaction.query(RESEAL, { tenant, key, former, content }))) === 1,
    },
    slowDown: {
      locksTenant: false,
      pipelined: async (transaction, tenant, { key, poll_interval }, longer) =>
        (await changed(transaction.query(SLOW_DOWN, { tenant, key, poll_interval, longer }))) === 1,
    },
    decide: {
      locksTenant: true,
      async interactive(transaction, tenant, { id, sub = '', now }, decision, event) {
        const { state } = decision;
        const code = decision.state === 'allowed' ? decision.code : null;
        const deciding = transaction.query(DECIDE, { tenant, id, sub, now, state, code });
        if ((await changed(deciding)) !== 1) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
    block: {
      locksTenant: true,
      async interactive(transaction, tenant, block, event) {
        const { sub, client_id, client_instance, blocked_at: now, expires_at } = block;
        const place = { tenant, sub, client_id, client_instance, now };
        await transaction.query(BLOCK, { ...place, expires_at });
        await record(transaction, tenant, event);
        return await changed(transaction.query(DENY_BLOCKED, place));
      },
    },
    unblock: {
      locksTenant: true,
      async interactive(transaction, tenant, { sub, client_id, client_instance }, event) {
        const removing = transaction.query(UNBLOCK, { tenant, sub, client_id, client_instance });
        if ((await changed(removing)) !== 1) return false;
        await record(transaction, tenant, event);
        return true;
      },
    },
    take: {
      locksTenant: true,
      pipelined: async (transaction, tenant, now, until, limit) =>
        (await transaction.query(TAKE, { tenant, now, until, limit })).rows.map(BACKCHANNEL_REQUEST.read),
    },
    settle: {
      locksTenant: true,
      pipelined: async (transaction, tenant, { key, attempts }, attempt) =>
        (await changed(transaction.query(SETTLE, { tenant, key, attempts, ...settled(attempt) }))) === 1,
    },
    sweepExpired: {
      locksTenant: true,
      async pipelined(transaction, tenant, now, limit) {
        const requests = transaction.query(SWEEP, { tenant, now, limit });
        const blocks = transaction.query(SWEEP_BLOCKS, { tenant, now, limit });
        const resting = transaction.query(REST, { tenant });
        const removed = (await changed(requests)) + (await changed(blocks));
        await resting;
        return removed;
      },
    },
  },
};

function settled(attempt: BackchannelAttempt): Values {
  if (attempt.outcome === 'postponed') return { due_at: attempt.due_at, problem: attempt.problem };
  return { due_at: null, problem: attempt.outcome === 'failed' ? attempt.problem : null };
}
