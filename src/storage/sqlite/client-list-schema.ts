/**
 * Lists of clients (ADR 80). `client_entry` has one row for each listed client, `client_term` one for each of its terms, in the
 * order of registration. Both follow `client` and the audit, so they are neither copied nor compared with a backup's.
 */
export const CLIENT_LIST_SCHEMA = `
  CREATE TABLE client_entry (
    tenant TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    version INTEGER NOT NULL,
    issued_at INTEGER NOT NULL,
    name TEXT NOT NULL,
    last_used_at INTEGER NOT NULL,
    secret_expires_at INTEGER,
    terms TEXT NOT NULL,
    PRIMARY KEY (tenant, client_id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX client_entry_name ON client_entry (tenant, name, client_id);
  CREATE INDEX client_entry_created ON client_entry (tenant, issued_at, client_id);
  CREATE INDEX client_entry_used ON client_entry (tenant, last_used_at, client_id);
  CREATE INDEX client_entry_secret_end ON client_entry (tenant, secret_expires_at, client_id)
    WHERE secret_expires_at IS NOT NULL;
  CREATE TABLE client_term (
    tenant TEXT NOT NULL,
    term TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    client_id TEXT NOT NULL,
    PRIMARY KEY (tenant, term, issued_at, client_id)
  ) STRICT, WITHOUT ROWID;
  -- Lists are whole if nothing is left to walk. They are right up to the event with the number \`audited\`.
  CREATE TABLE client_listing (
    tenant TEXT NOT NULL PRIMARY KEY, walked_to TEXT, audited INTEGER NOT NULL) STRICT, WITHOUT ROWID;`;

/** Columns that searches check stand in the indexes that they walk along, so that only the clients they find are read. */
export const COVERING_LIST_SCHEMA = `
  DROP INDEX client_entry_name;
  DROP INDEX client_entry_created;
  DROP INDEX client_entry_used;
  CREATE INDEX client_entry_name ON client_entry (tenant, name, client_id, issued_at);
  CREATE INDEX client_entry_created ON client_entry (tenant, issued_at, client_id, name);
  CREATE INDEX client_entry_used ON client_entry (tenant, last_used_at, client_id, issued_at, name);`;
