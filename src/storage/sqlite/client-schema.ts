/**
 * Former versions of clients, and the reasons that operators give for changes. The row of a deleted client in its grace period has a time of deletion, and a client has at most
 * one such row. The rows are as large as those of clients, so their key is an index beside them.
 */
export const HISTORY_SCHEMA = `
  ALTER TABLE audit_event ADD COLUMN reason TEXT;
  CREATE TABLE client_version (
    tenant TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    version INTEGER NOT NULL,
    ended_at INTEGER NOT NULL,
    deleted_at INTEGER,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    request_id TEXT NOT NULL,
    reason TEXT,
    issued_at INTEGER NOT NULL,
    registered_via TEXT NOT NULL,
    registration_token_digest TEXT NOT NULL,
    secrets TEXT NOT NULL,
    privileges TEXT NOT NULL,
    metadata TEXT NOT NULL,
    data TEXT,
    shared_digest TEXT,
    entity_id TEXT,
    expires_at INTEGER,
    document TEXT,
    federation TEXT,
    owner TEXT,
    PRIMARY KEY (tenant, client_id, instance, version)
  ) STRICT;
  CREATE INDEX client_version_end ON client_version (tenant, ended_at) WHERE deleted_at IS NULL;
  CREATE INDEX client_version_deleted ON client_version (tenant, deleted_at, client_id) WHERE deleted_at IS NOT NULL;`;

/** Renewals of federated clients. Clients of an older version are due at once, if anything uses them. */
export const RENEWAL_SCHEMA = `
  ALTER TABLE client ADD COLUMN federation TEXT;
  ALTER TABLE client ADD COLUMN resolved_at INTEGER;
  ALTER TABLE client ADD COLUMN renew_at INTEGER;
  UPDATE client SET resolved_at = issued_at, renew_at = issued_at
  WHERE registered_via LIKE 'federation:%' AND expires_at IS NOT NULL;
  CREATE INDEX client_renewal ON client (tenant, renew_at) WHERE renew_at IS NOT NULL;`;

/**
 * Finds registrations by their instance. Instances sort by time, and client ids do not, so a registration changes one page of a random
 * key less (ADR 106). A program of the version before asks for tenant, client and instance together, which finds as fast; its search
 * for idle clients reads the index of the tenant for each thousand of them.
 */
export const INSTANCE_ORDER_SCHEMA = `
  DROP INDEX client_instance;
  CREATE INDEX client_instance ON client (tenant, instance, client_id, registered_via, issued_at);`;

/** The owners of the clients that files declare. */
export const OWNER_SCHEMA = `
  ALTER TABLE client ADD COLUMN owner TEXT;
  CREATE INDEX client_owner ON client (tenant, owner, client_id) WHERE owner IS NOT NULL;`;
