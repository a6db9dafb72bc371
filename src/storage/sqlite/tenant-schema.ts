/** The issuer of a tenant stands at position 0 of its names, its aliases follow. */
export const TENANT_SCHEMA = `
  CREATE TABLE tenant (
    tenant TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    settings TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tenant_issuer (
    tenant TEXT NOT NULL,
    position INTEGER NOT NULL,
    issuer TEXT NOT NULL,
    PRIMARY KEY (tenant, position)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX tenant_issuer_name ON tenant_issuer (issuer);
  CREATE TABLE tenant_list (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
  INSERT INTO tenant_list (id, version) VALUES (1, 0);`;

/** The owners of the tenants that files declare. */
export const TENANT_OWNER_SCHEMA = 'ALTER TABLE tenant ADD COLUMN owner TEXT;';

/** Deleted tenants: their ids stay taken. */
export const DELETED_TENANT_SCHEMA = ['deleted_at', 'cleared_at']
  .map((column) => `ALTER TABLE tenant ADD COLUMN ${column} INTEGER;`)
  .join('\n');
