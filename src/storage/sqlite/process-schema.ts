export const COMPATIBILITY_SCHEMA = `
  CREATE TABLE schema_compatibility (version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL) STRICT;`;

export const RATE_SCHEMA = `
  CREATE TABLE rate_bucket (
    tenant TEXT NOT NULL,
    bucket TEXT NOT NULL,
    full_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, bucket)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX rate_bucket_full ON rate_bucket (tenant, full_at);`;

export const TIME_SCHEMA = `
  CREATE TABLE time_memory (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    latest INTEGER NOT NULL,
    waited INTEGER NOT NULL,
    confirmation INTEGER NOT NULL
  ) STRICT;`;

export const REPLAY_SCHEMA = `
  CREATE TABLE remembered_once (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind, owner, value)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX remembered_once_expiry ON remembered_once (tenant, expires_at);`;

/**
 * The values are random. Without row ids the index by expiry repeats them, so each value changed two pages of its own. With row ids,
 * values that expire together stand side by side in it, and only the key is random (ADR 105).
 */
export const REPLAY_ORDER_SCHEMA = `
  DROP INDEX remembered_once_expiry;
  ALTER TABLE remembered_once RENAME TO clustered_once;
  CREATE TABLE remembered_once (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    owner TEXT NOT NULL,
    value TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, kind, owner, value)
  ) STRICT;
  INSERT INTO remembered_once (tenant, kind, owner, value, expires_at)
  SELECT tenant, kind, owner, value, expires_at FROM clustered_once ORDER BY expires_at;
  DROP TABLE clustered_once;
  CREATE INDEX remembered_once_expiry ON remembered_once (tenant, expires_at);`;
