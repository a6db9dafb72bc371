import type { AuditEvent, AuditLog } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { AUDIT_EVENT, AUDIT_SPAN } from '../rows.ts';
import { changed, type TenantNoun, type Transaction, type Values } from './noun.ts';
import { statement } from './statement.ts';

/** For a statement that has raised the counters (in `counters`): stores the event with its number. */
export const RECORDING = `
  INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail, sub,
    address, user_agent)
  SELECT :tenant::text, audit, :at::bigint, :action::text, :outcome::text, :actor::text, :event_client_id::text,
    :request_id::text, :detail::text, :event_sub::text, :address::text, :user_agent::text FROM counters`;

/** The values of `RECORDING`. */
export const recorded = ({
  at,
  action,
  outcome,
  actor,
  client_id,
  request_id,
  detail,
  sub,
  address,
  user_agent,
}: AuditEvent): Values => ({
  at,
  action,
  outcome,
  actor,
  event_client_id: client_id,
  request_id,
  detail,
  event_sub: sub ?? null,
  address: address ?? null,
  user_agent: user_agent ?? null,
});

const APPEND = statement(
  'audit_append',
  `WITH counters AS (UPDATE tenant_counter SET audit = audit + 1 WHERE tenant = :tenant RETURNING audit) ${RECORDING}`,
);
const PAGE = statement(
  'audit_page',
  `SELECT ${AUDIT_EVENT.columns} FROM audit_event
   WHERE tenant = :tenant AND sequence > :sequence ORDER BY sequence LIMIT :limit`,
);
const PAGE_BEFORE = statement(
  'audit_page_before',
  `SELECT ${AUDIT_EVENT.columns} FROM audit_event
   WHERE tenant = :tenant AND sequence < :sequence ORDER BY sequence DESC LIMIT :limit`,
);
// PostgreSQL may answer min and max alone by walking the primary key, which for the last hour is the whole audit. The count
// rules that out.
const SPAN = statement(
  'audit_span',
  `SELECT min(sequence) AS first, max(sequence) AS last FROM audit_event
   WHERE tenant = :tenant AND at >= :since AND at < :until HAVING count(*) > 0`,
);
const SWEEP = statement(
  'audit_sweep',
  `DELETE FROM audit_event WHERE tenant = :tenant AND sequence IN
    (SELECT sequence FROM audit_event WHERE tenant = :tenant AND at < :before ORDER BY at LIMIT :limit)`,
);

export const audit: TenantNoun<AuditLog, 'page' | 'pageBefore' | 'span'> = {
  reads: {
    page:
      ({ primary }) =>
      async (tenant, sequence, limit) =>
        (await primary.slowRows(tenant, PAGE, { sequence, limit })).map(AUDIT_EVENT.read),
    pageBefore:
      ({ primary }) =>
      async (tenant, sequence, limit) =>
        (await primary.slowRows(tenant, PAGE_BEFORE, { sequence, limit })).map(AUDIT_EVENT.read),
    span:
      ({ primary }) =>
      async (tenant, since, until) =>
        AUDIT_SPAN.readOptional((await primary.slowRows(tenant, SPAN, { since, until }))[0]),
  },
  writes: {
    append: { locksTenant: true, pipelined: record },
    sweep: {
      locksTenant: false,
      pipelined: (transaction, tenant, at, limit) =>
        changed(transaction.query(SWEEP, { tenant, before: at, limit })),
    },
  },
};

/** Records an event inside a transaction that has locked the tenant. */
export async function record(
  transaction: Transaction,
  tenant: TenantId,
  event: AuditEvent | undefined,
): Promise<void> {
  if (event !== undefined) await transaction.query(APPEND, { tenant, ...recorded(event) });
}
