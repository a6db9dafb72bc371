import { EVENT_STREAM, EXCLUDED_SUBJECT, SECURITY_EVENT, TAKEN_STREAM } from '../rows.ts';
import { NEXT_DUE } from '../signal-facts.ts';
import { statement } from './statement.ts';

const STREAM = `SELECT ${EVENT_STREAM.columns} FROM event_stream WHERE tenant = :tenant`;
const PLACE = 'tenant = :tenant AND id = :id';
const OF_STREAM = 'tenant = :tenant AND stream_id = :id';
const ONE_OR_ALL_FAILED = `${OF_STREAM} AND state = 'failed' AND sequence = coalesce(:sequence::bigint, sequence)`;

export const FIND = statement('stream_find', `${STREAM} AND id = :id`);
export const OF_CLIENT = statement(
  'stream_of_client',
  `${STREAM} AND client_id = :client_id AND instance = :instance ORDER BY id`,
);
export const PAGE = statement('stream_page', `${STREAM} AND id > :after ORDER BY id LIMIT :limit`);
export const EVENTS = statement(
  'stream_events',
  `SELECT ${SECURITY_EVENT.columns} FROM security_event
   WHERE ${OF_STREAM} AND state = :state AND sequence > :after ORDER BY sequence LIMIT :limit`,
);
export const EXCLUDED = statement(
  'stream_excluded',
  `SELECT ${EXCLUDED_SUBJECT.columns} FROM event_stream_subject WHERE ${OF_STREAM} ORDER BY key`,
);
export const NEXT = statement(
  'stream_next_due',
  'SELECT due_at FROM event_stream WHERE tenant = :tenant AND due_at IS NOT NULL ORDER BY due_at LIMIT 1',
);
export const HELD = statement('stream_held', 'SELECT held FROM event_stream WHERE tenant = :tenant');
export const FAILED = statement(
  'stream_failed',
  "SELECT count(*) AS failed FROM security_event WHERE tenant = :tenant AND state = 'failed'",
);

const OF_INSTANCE = 'tenant = :tenant AND client_id = :client_id AND instance = :instance';
export const CLIENT = statement('stream_client', `SELECT 1 AS present FROM client WHERE ${OF_INSTANCE}`);
export const COUNT_OF_CLIENT = statement(
  'stream_count_of_client',
  `SELECT count(*) AS streams FROM event_stream WHERE ${OF_INSTANCE}`,
);
export const INSERT = statement(
  'stream_insert',
  `INSERT INTO event_stream (tenant, ${EVENT_STREAM.columns})
   VALUES (:tenant, ${EVENT_STREAM.columns
     .split(', ')
     .map((column) => `:${column}`)
     .join(', ')})`,
);
export const LIST = statement(
  'stream_list',
  'INSERT INTO event_stream_tenant (tenant) VALUES (:tenant) ON CONFLICT DO NOTHING',
);
export const UNLIST = statement(
  'stream_unlist',
  `DELETE FROM event_stream_tenant WHERE tenant = :tenant
     AND NOT EXISTS (SELECT 1 FROM event_stream WHERE tenant = :tenant)`,
);
export const REPLACE = statement(
  'stream_replace',
  `UPDATE event_stream SET version = :version, configuration = :configuration, sealed = :sealed, method = :method,
     events = :events, status = :status, status_reason = :status_reason, held_max = :held_max, updated_at = :updated_at
   WHERE ${PLACE} AND version = :expected`,
);
export const DISCARD = statement(
  'stream_discard',
  `DELETE FROM security_event WHERE ${OF_STREAM} AND state = 'waiting'`,
);
export const NOTIFY = statement(
  'stream_notify',
  `UPDATE event_stream SET sequence = sequence + 1, held = held + 1, drains_to = sequence + 1
   WHERE ${PLACE} RETURNING sequence`,
);
export const APPEND = statement(
  'stream_append',
  `INSERT INTO security_event (tenant, stream_id, sequence, kind, content, at)
   VALUES (:tenant, :id, :sequence, :kind, :content, :at)`,
);
export const WAKE = statement(
  'stream_wake',
  `UPDATE event_stream SET due_at = ${NEXT_DUE} WHERE event_stream.tenant = :tenant AND id = :id`,
);
export const RELEASE = statement(
  'stream_release',
  `UPDATE event_stream SET held = held - :count WHERE ${PLACE}`,
);
export const REMOVE = statement('stream_remove', `DELETE FROM event_stream WHERE ${PLACE}`);
export const REMOVE_EVENTS = statement(
  'stream_remove_events',
  `DELETE FROM security_event WHERE ${OF_STREAM}`,
);
export const REMOVE_SUBJECTS = statement(
  'stream_remove_subjects',
  `DELETE FROM event_stream_subject WHERE ${OF_STREAM}`,
);
export const VERIFY = statement(
  'stream_verify',
  `UPDATE event_stream SET verified_at = :at, sequence = sequence + 1, held = held + 1
   WHERE ${PLACE} AND status <> 'disabled' AND held + 1 < held_max AND coalesce(verified_at, -1) < :before
   RETURNING sequence`,
);
export const VERIFIED = statement('stream_verified', `SELECT verified_at FROM event_stream WHERE ${PLACE}`);
export const OTHERS_EXCLUDED = statement(
  'stream_others_excluded',
  `SELECT count(*) AS others FROM event_stream_subject WHERE ${OF_STREAM} AND key <> :key`,
);
export const EXCLUDE = statement(
  'stream_exclude',
  `INSERT INTO event_stream_subject (tenant, stream_id, key, content)
   SELECT tenant, id, :key::text, :content::text FROM event_stream WHERE ${PLACE} ON CONFLICT DO NOTHING`,
);
export const INCLUDE = statement(
  'stream_include',
  `DELETE FROM event_stream_subject WHERE ${OF_STREAM} AND key = :key`,
);
export const TAKE = statement(
  'stream_take',
  `UPDATE event_stream SET lease = lease + 1, attempts = attempts + 1, attempted_at = :now, due_at = :until
   WHERE tenant = :tenant AND id IN (
     SELECT id FROM event_stream WHERE tenant = :tenant AND due_at <= :now ORDER BY due_at LIMIT :limit)
   RETURNING ${TAKEN_STREAM.columns}`,
);
export const HOLDS = statement(
  'stream_holds',
  `SELECT 1 AS held FROM event_stream WHERE ${PLACE} AND lease = :lease`,
);
export const REMOVE_EVENT = statement(
  'stream_remove_event',
  `DELETE FROM security_event WHERE ${OF_STREAM} AND sequence = :sequence`,
);
export const COUNT_DELIVERED = statement(
  'stream_count_delivered',
  `UPDATE event_stream SET held = held - :removed, delivered = delivered + :delivered,
     delivered_at = coalesce(:at::bigint, delivered_at) WHERE ${PLACE}`,
);
export const POSTPONE = statement(
  'stream_postpone',
  `UPDATE event_stream SET due_at = :due_at, problem = :problem WHERE ${PLACE}`,
);
export const SETTLED = statement(
  'stream_settled',
  `UPDATE event_stream SET due_at = NULL, attempts = 0, problem = :problem WHERE ${PLACE}`,
);
export const FAIL = statement(
  'stream_fail',
  `UPDATE security_event SET state = 'failed', attempted_at = :now, problem = :problem
   WHERE ${OF_STREAM} AND sequence = :sequence AND state = 'waiting'`,
);
export const ACKNOWLEDGED = statement(
  'stream_acknowledged',
  `DELETE FROM security_event WHERE ${OF_STREAM} AND state = 'waiting' AND sequence = ANY(:sequences::bigint[])`,
);
export const REDELIVER = statement(
  'stream_redeliver',
  `UPDATE security_event SET state = 'waiting', problem = NULL WHERE ${ONE_OR_ALL_FAILED}`,
);
export const DROP = statement('stream_drop', `DELETE FROM security_event WHERE ${ONE_OR_ALL_FAILED}`);
export const SWEEP_FAILED = statement(
  'stream_sweep_failed',
  `DELETE FROM security_event WHERE tenant = :tenant AND (stream_id, sequence) IN (
     SELECT stream_id, sequence FROM security_event
     WHERE tenant = :tenant AND state = 'failed' AND attempted_at < :before ORDER BY attempted_at LIMIT :limit)
   RETURNING stream_id`,
);
export const ORPHANS = statement(
  'stream_orphans',
  `SELECT id FROM event_stream WHERE tenant = :tenant AND (
     SELECT 1 FROM client WHERE client.tenant = :tenant AND client.client_id = event_stream.client_id
       AND client.instance = event_stream.instance) IS NULL LIMIT :limit`,
);
