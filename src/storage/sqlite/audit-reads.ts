import type { DatabaseSync } from 'node:sqlite';
import type { RecordedAuditEvent } from '../../ports/audit-log.ts';
import type { TenantId } from '../../spec/identifiers.ts';

export interface AuditReads {
  page(tenant: TenantId, sequence: number, limit: number): readonly RecordedAuditEvent[];
}

export function auditReads(database: DatabaseSync): AuditReads {
  const page = database.prepare(`
    SELECT sequence, at, action, outcome, actor, client_id, request_id, detail FROM audit_event
    WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
  return {
    page: (tenant, sequence, limit) =>
      page.all(tenant, sequence, limit).map((row) => ({ ...row }) as unknown as RecordedAuditEvent),
  };
}
