/** Clients that are to hear of the end of a session, and grants that end with one (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.7). */
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

/** Clients know a session under the name of ours that they were sent to. */
export const LOGOUT_ISSUER_SCHEMA = `
  ALTER TABLE session_client ADD COLUMN issuer TEXT;
  ALTER TABLE logout_notification ADD COLUMN issuer TEXT;`;
