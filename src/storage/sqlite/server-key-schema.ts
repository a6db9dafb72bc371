/** SQLite cannot change a CHECK in place, so the table is created again. From here on only the program knows the uses of keys. */
export const SERVER_KEY_SCHEMA = `
  ALTER TABLE server_key RENAME TO server_key_before;
  CREATE TABLE server_key (
    tenant TEXT NOT NULL,
    kid TEXT NOT NULL,
    position INTEGER NOT NULL,
    use TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    active_at INTEGER NOT NULL,
    retired_at INTEGER,
    succeeds TEXT,
    removed_at INTEGER,
    reason TEXT,
    public_jwk TEXT,
    sealed_jwk TEXT,
    PRIMARY KEY (tenant, kid)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO server_key (tenant, kid, position, use, created_at, active_at, public_jwk, sealed_jwk)
    SELECT tenant, kid, position, use, created_at, created_at, public_jwk, sealed_jwk FROM server_key_before;
  DROP TABLE server_key_before;`;
