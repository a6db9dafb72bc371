import { TEXT, tenantTable } from './schema.ts';

/** Lists of clients (ADR 80). They follow the audit, so they are not copied. */
export const CLIENT_LIST_SCHEMA: readonly string[] = [
  ...tenantTable({
    name: 'client_entry',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL, version BIGINT NOT NULL,
      issued_at BIGINT NOT NULL, name ${TEXT} NOT NULL, last_used_at BIGINT NOT NULL, secret_expires_at BIGINT,
      terms ${TEXT} NOT NULL`,
    primaryKey: 'tenant, client_id',
  }),
  'CREATE INDEX client_entry_name ON client_entry (tenant, name, client_id)',
  'CREATE INDEX client_entry_created ON client_entry (tenant, issued_at, client_id)',
  'CREATE INDEX client_entry_used ON client_entry (tenant, last_used_at, client_id)',
  'CREATE INDEX client_entry_secret_end ON client_entry (tenant, secret_expires_at, client_id) WHERE secret_expires_at IS NOT NULL',
  ...tenantTable({
    name: 'client_term',
    columns: `tenant ${TEXT} NOT NULL, term ${TEXT} NOT NULL, issued_at BIGINT NOT NULL, client_id ${TEXT} NOT NULL`,
    primaryKey: 'tenant, term, issued_at, client_id',
  }),
  ...tenantTable({
    name: 'client_listing',
    columns: `tenant ${TEXT} NOT NULL, walked_to ${TEXT}, audited BIGINT NOT NULL`,
    primaryKey: 'tenant',
  }),
];

/** Columns that searches check stand in the indexes that they walk along, so that only the clients they find are read. */
export const COVERING_LIST_SCHEMA: readonly string[] = [
  'DROP INDEX client_entry_name',
  'DROP INDEX client_entry_created',
  'DROP INDEX client_entry_used',
  'CREATE INDEX client_entry_name ON client_entry (tenant, name, client_id, issued_at)',
  'CREATE INDEX client_entry_created ON client_entry (tenant, issued_at, client_id, name)',
  'CREATE INDEX client_entry_used ON client_entry (tenant, last_used_at, client_id, issued_at, name)',
];
