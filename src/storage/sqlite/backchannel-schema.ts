/** Requests of clients without a browser, the clients that people have blocked, and the tenants whose clients wait for notifications. */
export const BACKCHANNEL_SCHEMA = `
  CREATE TABLE backchannel_request (
    tenant TEXT NOT NULL,
    key TEXT NOT NULL,
    id TEXT NOT NULL,
    person TEXT NOT NULL,
    sub TEXT,
    client_id TEXT NOT NULL,
    client_instance TEXT NOT NULL,
    state TEXT NOT NULL,
    code TEXT,
    poll_interval INTEGER NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    kept_until INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER,
    problem TEXT,
    PRIMARY KEY (tenant, key)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX backchannel_request_id ON backchannel_request (tenant, id);
  CREATE INDEX backchannel_request_person ON backchannel_request (tenant, person, expires_at) WHERE state = 'open';
  CREATE INDEX backchannel_request_client ON backchannel_request (tenant, client_id, client_instance, expires_at)
    WHERE state = 'open';
  CREATE INDEX backchannel_request_sub ON backchannel_request (tenant, sub, created_at, key) WHERE state = 'open';
  CREATE INDEX backchannel_request_due ON backchannel_request (tenant, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX backchannel_request_kept ON backchannel_request (tenant, kept_until);
  CREATE TABLE backchannel_block (
    tenant TEXT NOT NULL,
    sub TEXT NOT NULL,
    client_id TEXT NOT NULL,
    client_instance TEXT NOT NULL,
    blocked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, sub, client_id, client_instance)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX backchannel_block_expiry ON backchannel_block (tenant, expires_at);
  CREATE TABLE backchannel_tenant (tenant TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;`;
