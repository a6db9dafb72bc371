import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent, AuditLog } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { AUDIT_EVENT, AUDIT_SPAN } from '../rows.ts';
import type { TenantNoun } from './noun.ts';

export const audit: TenantNoun<AuditLog, 'page' | 'pageBefore' | 'span'> = {
  reads: {
    page({ scans }) {
      const page = scans.prepare(`
        SELECT ${AUDIT_EVENT.columns} FROM audit_event
        WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
      return (tenant, sequence, limit) => page.all(tenant, sequence, limit).map(AUDIT_EVENT.read);
    },
    pageBefore({ scans }) {
      const page = scans.prepare(`
        SELECT ${AUDIT_EVENT.columns} FROM audit_event
        WHERE tenant = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?`);
      return (tenant, sequence, limit) => page.all(tenant, sequence, limit).map(AUDIT_EVENT.read);
    },
    span({ scans }) {
      const span = scans.prepare(`
        SELECT min(sequence) AS first, max(sequence) AS last FROM audit_event
        WHERE tenant = ? AND at >= ? AND at < ? HAVING count(*) > 0`);
      return (tenant, since, until) => AUDIT_SPAN.readOptional(span.get(tenant, since, until));
    },
  },
  writes: {
    append: eventRecording,
    sweep(database) {
      // The last number is kept, so that a reader's position stays valid after everything before it was swept.
      const keepLast = database.prepare(`
        INSERT INTO audit_swept (tenant, sequence)
        SELECT tenant, sequence FROM audit_event WHERE tenant = ? ORDER BY sequence DESC LIMIT 1
        ON CONFLICT (tenant) DO UPDATE SET sequence = excluded.sequence`);
      const sweep = database.prepare(`
        DELETE FROM audit_event WHERE tenant = ?1 AND sequence IN
          (SELECT sequence FROM audit_event WHERE tenant = ?1 AND at < ?2 ORDER BY at LIMIT ?3)`);
      return (tenant, at, limit) => {
        keepLast.run(tenant);
        return Number(sweep.run(tenant, at, limit).changes);
      };
    },
  },
};

/** Records an event inside the transaction that is open. */
export function eventRecording(database: DatabaseSync): (tenant: TenantId, event: AuditEvent) => void {
  // One transaction writes at a time, so the next sequence is also the next in commit order.
  const insert = database.prepare(`
    INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail, sub,
      address, user_agent)
    VALUES (?1, 1 + max(
      coalesce((SELECT max(sequence) FROM audit_event WHERE tenant = ?1), 0),
      coalesce((SELECT sequence FROM audit_swept WHERE tenant = ?1), 0)), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)`);
  return (tenant, { at, action, outcome, actor, client_id, request_id, detail, ...person }) => {
    const { sub = null, address = null, user_agent = null } = person;
    const act = [at, action, outcome, actor, client_id, request_id, detail] as const;
    insert.run(tenant, ...act, sub, address, user_agent);
  };
}
