/**
 * The life of server keys. A CHECK cannot be changed in place, so the table is made anew; which uses there are is known
 * to the program alone from now on.
 */
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
