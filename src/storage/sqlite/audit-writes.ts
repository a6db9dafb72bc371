import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteHandlers } from './write-handlers.ts';

type AuditWrites = Pick<WriteHandlers, 'appendAuditEvent' | 'sweepAuditEvents'>;

/** Records an event as a part of the act that is under way. */
export type EventRecording = (tenant: TenantId, event: AuditEvent) => void;

export function eventRecording(database: DatabaseSync): EventRecording {
  // One transaction writes at a time, so the next sequence is also the next in commit order.
  const insert = database.prepare(`
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
    VALUES (?1, 1 + max(
      coalesce((SELECT max(sequence) FROM audit_event WHERE tenant = ?1), 0),
      coalesce((SELECT sequence FROM audit_swept WHERE tenant = ?1), 0)), ?2, ?3, ?4, ?5, ?6, ?7, ?8)`);
  return (tenant, { at, action, outcome, actor, client_id, request_id, detail }) => {
    insert.run(tenant, at, action, outcome, actor, client_id, request_id, detail);
  };
}

export function auditWrites(database: DatabaseSync): AuditWrites {
  const record = eventRecording(database);
  // A reader's place must stay good when everything before it is swept.
  const keepPlace = database.prepare(`
    INSERT INTO audit_swept (tenant, sequence)
    SELECT tenant, sequence FROM audit_event WHERE tenant = ? ORDER BY sequence DESC LIMIT 1
    ON CONFLICT (tenant) DO UPDATE SET sequence = excluded.sequence`);
  const sweep = database.prepare(`
    DELETE FROM audit_event WHERE tenant = ?1 AND sequence IN
      (SELECT sequence FROM audit_event WHERE tenant = ?1 AND at < ?2 ORDER BY at LIMIT ?3)`);
  return {
    appendAuditEvent({ tenant, event }) {
      record(tenant, event);
      return undefined;
    },
    sweepAuditEvents({ tenant, at, limit }) {
      keepPlace.run(tenant);
      return Number(sweep.run(tenant, at, limit).changes);
    },
  };
}
