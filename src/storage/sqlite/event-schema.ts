import { indexed } from '../audit-search.ts';

/** Ways into the audit for searches, each in the order of time. */
export const AUDIT_SEARCH_SCHEMA = `
  DROP INDEX audit_event_time;
  CREATE INDEX audit_event_time ON audit_event (tenant, at, sequence);
  CREATE INDEX audit_event_request ON audit_event (tenant, request_id, at, sequence);
  CREATE INDEX audit_event_subject ON audit_event (tenant, sub, at, sequence) WHERE ${indexed('sub')};
  CREATE INDEX audit_event_client ON audit_event (tenant, client_id, at, sequence) WHERE ${indexed('client_id')};
  CREATE INDEX audit_event_address ON audit_event (tenant, address, at, sequence) WHERE address IS NOT NULL;
  CREATE INDEX audit_event_action ON audit_event (tenant, action, at, sequence);
  CREATE INDEX audit_event_actor ON audit_event (tenant, actor, at, sequence) WHERE ${indexed('actor')};
  CREATE INDEX audit_event_refused ON audit_event (tenant, at, sequence) WHERE outcome = 'refused';`;

/** Webhooks, what they have to deliver, and the tenants that have some. */
export const WEBHOOK_SCHEMA = `
  CREATE TABLE webhook (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    configuration TEXT NOT NULL,
    sealed TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    disabled_at INTEGER,
    position INTEGER NOT NULL,
    delivered_at INTEGER,
    delivered INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE webhook_delivery (
    tenant TEXT NOT NULL,
    webhook_id TEXT NOT NULL,
    after_sequence INTEGER NOT NULL,
    until_sequence INTEGER NOT NULL,
    events INTEGER NOT NULL,
    missed INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting',
    created_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    attempted_at INTEGER,
    due_at INTEGER DEFAULT 0,
    problem TEXT,
    PRIMARY KEY (tenant, webhook_id, after_sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant, due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX webhook_delivery_failed ON webhook_delivery (tenant, attempted_at) WHERE due_at IS NULL;
  CREATE TABLE webhook_tenant (tenant TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;`;

/** Streams of security events, the subjects that they leave out, their outbox, and the tenants that have some. */
export const EVENT_STREAM_SCHEMA = `
  CREATE TABLE event_stream (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    client_id TEXT NOT NULL,
    instance TEXT NOT NULL,
    issuer TEXT NOT NULL,
    version INTEGER NOT NULL,
    configuration TEXT NOT NULL,
    sealed TEXT,
    method TEXT NOT NULL,
    events TEXT NOT NULL,
    status TEXT NOT NULL,
    status_reason TEXT,
    held_max INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    verified_at INTEGER,
    sequence INTEGER NOT NULL,
    drains_to INTEGER NOT NULL,
    held INTEGER NOT NULL,
    delivered INTEGER NOT NULL,
    delivered_at INTEGER,
    lease INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL,
    attempted_at INTEGER,
    due_at INTEGER,
    problem TEXT,
    PRIMARY KEY (tenant, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX event_stream_client ON event_stream (tenant, client_id, instance);
  CREATE INDEX event_stream_due ON event_stream (tenant, due_at) WHERE due_at IS NOT NULL;
  CREATE TABLE event_stream_subject (
    tenant TEXT NOT NULL,
    stream_id TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (tenant, stream_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE security_event (
    tenant TEXT NOT NULL,
    stream_id TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    kind TEXT NOT NULL,
    content TEXT NOT NULL,
    at INTEGER,
    state TEXT NOT NULL DEFAULT 'waiting',
    attempted_at INTEGER,
    problem TEXT,
    PRIMARY KEY (tenant, stream_id, sequence)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX security_event_failed ON security_event (tenant, attempted_at) WHERE state = 'failed';
  CREATE TABLE event_stream_tenant (tenant TEXT NOT NULL PRIMARY KEY) STRICT, WITHOUT ROWID;`;
