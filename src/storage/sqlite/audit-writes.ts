import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write.ts';

type AuditWrites = Pick<WriteHandlers, 'appendAuditEvent' | 'sweepAuditEvents'>;

/** Records an event as a part of the act that is under way. */
export type EventRecording = (tenant: TenantId, event: AuditEvent) => void;

export function eventRecording(database: DatabaseSync): EventRecording {
  // Not the greatest sequence that is there: a reader's place must stay good when everything before it was swept.
  const next = database.prepare(`
    INSERT INTO audit_head (tenant, sequence) VALUES (?, 1)
    ON CONFLICT (tenant) DO UPDATE SET sequence = sequence + 1 RETURNING sequence`);
  const insert = database.prepare(`
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return (tenant, event) => {
    const sequence = Number(next.get(tenant)?.['sequence']);
    const { at, action, outcome, actor, client_id, request_id, detail } = event;
    insert.run(tenant, sequence, at, action, outcome, actor, client_id, request_id, detail);
  };
}

export function auditWrites(database: DatabaseSync): AuditWrites {
  const record = eventRecording(database);
  const sweep = database.prepare(`
    DELETE FROM audit_event WHERE tenant = ?1 AND sequence IN
      (SELECT sequence FROM audit_event WHERE tenant = ?1 AND at < ?2 ORDER BY at LIMIT ?3)`);
  return {
    appendAuditEvent({ tenant, event }) {
      record(tenant, event);
      return undefined;
    },
    sweepAuditEvents: ({ tenant, at, limit }) => Number(sweep.run(tenant, at, limit).changes),
  };
}
