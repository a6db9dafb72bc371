/** Accounts of end-users, their sessions, what waits for them, and what they allowed. */
export const SESSION_SCHEMA = `
  CREATE TABLE account (
    tenant TEXT NOT NULL,
    sub TEXT NOT NULL,
    version INTEGER NOT NULL,
    login_name TEXT NOT NULL,
    username TEXT NOT NULL,
    password_hash TEXT,
    claims TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    disabled_at INTEGER,
    PRIMARY KEY (tenant, sub)
  ) STRICT;
  CREATE UNIQUE INDEX account_login_name ON account (tenant, login_name);

  CREATE TABLE known_browser (
    tenant TEXT NOT NULL,
    sub TEXT NOT NULL,
    browser TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sub, browser)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX known_browser_expiry ON known_browser (tenant, expires_at);

  CREATE TABLE session (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    sid TEXT NOT NULL,
    sub TEXT NOT NULL,
    auth_time INTEGER NOT NULL,
    acr TEXT,
    amr TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX session_sid ON session (tenant, sid);
  CREATE INDEX session_sub ON session (tenant, sub, last_seen_at);
  CREATE INDEX session_expiry ON session (tenant, expires_at);

  CREATE TABLE session_client (
    tenant TEXT NOT NULL,
    sid TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    first_used_at INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sid, client_id, instance)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE interaction (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    kind TEXT NOT NULL,
    browser TEXT NOT NULL,
    version INTEGER NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, key)
  ) STRICT;
  CREATE INDEX interaction_expiry ON interaction (tenant, expires_at);

  CREATE TABLE consent (
    tenant TEXT NOT NULL,
    sub TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    scope TEXT NOT NULL,
    claims TEXT NOT NULL,
    granted_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sub, client_id, instance)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX consent_client ON consent (tenant, client_id, instance);`;
