import { TEXT, tenantTable } from './schema.ts';

/** Streams of security events, the subjects that they leave out, their outbox, and the tenants that have some. */
export const EVENT_STREAM_SCHEMA: readonly string[] = [
  ...tenantTable({
    name: 'event_stream',
    columns: `tenant ${TEXT} NOT NULL, id ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL,
      issuer ${TEXT} NOT NULL, version BIGINT NOT NULL, configuration ${TEXT} NOT NULL, sealed ${TEXT}, method ${TEXT} NOT NULL,
      events ${TEXT} NOT NULL, status ${TEXT} NOT NULL, status_reason ${TEXT}, held_max BIGINT NOT NULL,
      created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, verified_at BIGINT, sequence BIGINT NOT NULL,
      drains_to BIGINT NOT NULL, held BIGINT NOT NULL, delivered BIGINT NOT NULL, delivered_at BIGINT,
      lease BIGINT NOT NULL DEFAULT 0, attempts BIGINT NOT NULL, attempted_at BIGINT, due_at BIGINT, problem ${TEXT}`,
    primaryKey: 'tenant, id',
  }),
  'CREATE INDEX event_stream_client ON event_stream (tenant, client_id, instance)',
  'CREATE INDEX event_stream_due ON event_stream (tenant, due_at) WHERE due_at IS NOT NULL',
  ...tenantTable({
    name: 'event_stream_subject',
    columns: `tenant ${TEXT} NOT NULL, stream_id ${TEXT} NOT NULL, key ${TEXT} NOT NULL, content ${TEXT} NOT NULL`,
    primaryKey: 'tenant, stream_id, key',
  }),
  ...tenantTable({
    name: 'security_event',
    columns: `tenant ${TEXT} NOT NULL, stream_id ${TEXT} NOT NULL, sequence BIGINT NOT NULL, kind ${TEXT} NOT NULL,
      content ${TEXT} NOT NULL, at BIGINT, state ${TEXT} NOT NULL DEFAULT 'waiting', attempted_at BIGINT, problem ${TEXT}`,
    primaryKey: 'tenant, stream_id, sequence',
  }),
  "CREATE INDEX security_event_failed ON security_event (tenant, attempted_at) WHERE state = 'failed'",
  `CREATE TABLE event_stream_tenant (tenant ${TEXT} NOT NULL, PRIMARY KEY (tenant))`,
];
