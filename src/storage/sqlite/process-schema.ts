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
