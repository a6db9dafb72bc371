/** Accounts of end-users, their sessions, pending interactions and consents. */
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

/** Clients to notify when a session ends, and grants that end with a session (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.7). */
export const LOGOUT_SCHEMA = `
  CREATE TABLE logout_notification (
    tenant TEXT NOT NULL,
    sid TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    sub TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,
    due_at INTEGER DEFAULT 0,
    problem TEXT,
    PRIMARY KEY (tenant, sid, client_id, instance)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX logout_notification_due ON logout_notification (tenant, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX logout_notification_settled ON logout_notification (tenant, attempted_at) WHERE due_at IS NULL;

  ALTER TABLE authorization_grant ADD COLUMN sid TEXT;
  CREATE INDEX authorization_grant_session ON authorization_grant (tenant, sid) WHERE sid IS NOT NULL;`;

/**
 * Roles of accounts in the administration, and the orders in which it lists what belongs to people. Tables without a row id
 * append their primary key to each index. `sub` is null in the token of a client that acts for itself, so that such tokens cost
 * one index only.
 */
export const ADMINISTRATION_SCHEMA = `
  ALTER TABLE account ADD COLUMN admin_role INTEGER;
  CREATE INDEX account_role ON account (tenant, admin_role, login_name) WHERE admin_role IS NOT NULL;
  CREATE INDEX account_disabled ON account (tenant, login_name) WHERE disabled_at IS NOT NULL;
  CREATE INDEX account_created ON account (tenant, created_at, sub);
  CREATE INDEX session_created ON session (tenant, created_at, sid);
  CREATE INDEX session_client_use ON session_client (tenant, client_id, first_used_at, sid);
  ALTER TABLE access_token ADD COLUMN sub TEXT;
  UPDATE access_token SET sub = (
    SELECT held.sub FROM authorization_grant AS held
    WHERE held.tenant = access_token.tenant AND held.grant_id = access_token.grant_id)
  WHERE grant_id IS NOT NULL;
  CREATE INDEX access_token_subject ON access_token (tenant, sub) WHERE sub IS NOT NULL;
  CREATE INDEX access_token_client ON access_token (tenant, client_id);`;

/** A client knows a session under the issuer name that it was sent to. */
export const LOGOUT_ISSUER_SCHEMA = `
  ALTER TABLE session_client ADD COLUMN issuer TEXT;
  ALTER TABLE logout_notification ADD COLUMN issuer TEXT;`;

/** The tokens that a token was exchanged from, directly or through others, and their clients. */
export const EXCHANGE_SCHEMA = `
  ALTER TABLE access_token ADD COLUMN exchanged INTEGER;
  CREATE TABLE token_origin (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    origin_key TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_instance TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, key, origin_key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX token_origin_of ON token_origin (tenant, origin_key);
  CREATE INDEX token_origin_expiry ON token_origin (tenant, expires_at);`;

/** Finds the tokens of other clients that end with a client. */
export const ORIGIN_CLIENT_SCHEMA = `
  CREATE INDEX token_origin_client ON token_origin (tenant, client_id, client_instance);`;

/** Keeps lists of devices off the other interactions, which pay nothing for it. */
export const DEVICE_LIST_SCHEMA =
  "CREATE INDEX interaction_device ON interaction (tenant, key) WHERE kind = 'device';";

/**
 * Codes have random keys. Clustered by them, each code took a page of its own in the log, when it was issued and again when it was
 * redeemed. With row ids, codes of one moment share pages, and only the short entries of the key are random.
 */
export const CODE_ORDER_SCHEMA = `
  DROP INDEX authorization_code_keeping;
  ALTER TABLE authorization_code RENAME TO clustered_code;
  CREATE TABLE authorization_code (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_instance TEXT NOT NULL,
    content TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    grant_id TEXT,
    PRIMARY KEY (tenant, key)
  ) STRICT;
  INSERT INTO authorization_code
    (tenant, key, client_id, client_instance, content, expires_at, kept_until, grant_id)
  SELECT tenant, key, client_id, client_instance, content, expires_at, kept_until, grant_id
  FROM clustered_code ORDER BY kept_until;
  DROP TABLE clustered_code;
  CREATE INDEX authorization_code_keeping ON authorization_code (tenant, kept_until);`;
