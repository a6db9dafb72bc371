import type { AuditEvent, RecordedAuditEvent } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import { type Acts, changed, type Transaction, type Values } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { statement } from './statement.ts';

/** For a statement that has changed the counters (`counters`): the event with its number. */
export const RECORDING = `
  INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
  SELECT :tenant::text, audit, :at::bigint, :action::text, :outcome::text, :actor::text, :event_client_id::text,
    :request_id::text, :detail::text FROM counters`;

/** The values of `RECORDING`. */
export const recorded = ({
  at,
  action,
  outcome,
  actor,
  client_id,
  request_id,
  detail,
}: AuditEvent): Values => ({
  at,
  action,
  outcome,
  actor,
  event_client_id: client_id,
  request_id,
  detail,
});

const APPEND = statement(
  'audit_append',
  `WITH counters AS (UPDATE tenant_counter SET audit = audit + 1 WHERE tenant = :tenant RETURNING audit) ${RECORDING}`,
);
const PAGE = statement(
  'audit_page',
  `SELECT sequence, at, action, outcome, actor, client_id, request_id, detail FROM audit_event
   WHERE tenant = :tenant AND sequence > :sequence ORDER BY sequence LIMIT :limit`,
);
const SWEEP = statement(
  'audit_sweep',
  `DELETE FROM audit_event WHERE tenant = :tenant AND sequence IN
    (SELECT sequence FROM audit_event WHERE tenant = :tenant AND at < :before ORDER BY at LIMIT :limit)`,
);

/** Records an event as a part of the act that is under way, which has the tenant's turn. */
export async function record(
  transaction: Transaction,
  tenant: TenantId,
  event: AuditEvent | undefined,
): Promise<void> {
  if (event !== undefined) await transaction.ask(APPEND, { tenant, ...recorded(event) });
}

export function auditReads(reads: GatheredReads): Reads['audit'] {
  return {
    page: async (tenant, sequence, limit) =>
      (await reads.slowRows(tenant, PAGE, { sequence, limit })) as unknown as readonly RecordedAuditEvent[],
  };
}

export const AUDIT_ACTS: Acts<'appendAuditEvent' | 'sweepAuditEvents'> = {
  appendAuditEvent: {
    turn: true,
    async quick(transaction, { tenant, event }) {
      await record(transaction, tenant, event);
      return undefined;
    },
  },
  sweepAuditEvents: {
    turn: false,
    quick: (transaction, { tenant, at, limit }) =>
      changed(transaction.ask(SWEEP, { tenant, before: at, limit })),
  },
};
