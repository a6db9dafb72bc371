import { indexed } from '../audit-search.ts';

/** Text is compared and ordered by code points, whatever the locale of the database, so that a page continues correctly. */
export const TEXT = 'TEXT COLLATE "C"';

/** A table whose rows each belong to one tenant. */
interface TenantTable {
  readonly name: string;
  readonly columns: string;
  readonly primaryKey: string;
}

/** JSON is stored as the text that was sent. A JSON type would change spaces, order and numbers. */
const TENANT_TABLES: readonly TenantTable[] = [
  {
    name: 'tenant_counter',
    columns: `tenant ${TEXT} NOT NULL, journal BIGINT NOT NULL, audit BIGINT NOT NULL`,
    primaryKey: 'tenant',
  },
  {
    name: 'client',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL, version BIGINT NOT NULL,
      issued_at BIGINT NOT NULL, registration_token_digest ${TEXT} NOT NULL,
      registration_token_sealed ${TEXT} NOT NULL, registered_via ${TEXT} NOT NULL, secrets ${TEXT} NOT NULL,
      privileges ${TEXT} NOT NULL, metadata ${TEXT} NOT NULL, data ${TEXT}, shared_digest ${TEXT}, entity_id ${TEXT},
      expires_at BIGINT`,
    primaryKey: 'tenant, client_id',
  },
  {
    name: 'deleted_client',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL, deleted_at BIGINT NOT NULL`,
    primaryKey: 'tenant, client_id, instance',
  },
  {
    name: 'open_client_count',
    columns: `tenant ${TEXT} NOT NULL, clients BIGINT NOT NULL`,
    primaryKey: 'tenant',
  },
  {
    name: 'client_use',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL,
      secret_digest ${TEXT} NOT NULL, last_used_at BIGINT NOT NULL`,
    primaryKey: 'tenant, client_id, instance, secret_digest',
  },
  {
    name: 'client_with_orphans',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL`,
    primaryKey: 'tenant, client_id, instance',
  },
  {
    name: 'access_token',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, expires_at BIGINT NOT NULL, client_id ${TEXT} NOT NULL,
      client_instance ${TEXT}, grant_id ${TEXT}, introspection ${TEXT} NOT NULL`,
    primaryKey: 'tenant, key',
  },
  {
    name: 'initial_access_token',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, label ${TEXT} NOT NULL, issued_at BIGINT NOT NULL,
      scope ${TEXT} NOT NULL, redirect_hosts ${TEXT}, expires_at BIGINT NOT NULL, used_at BIGINT,
      used_by_client_id ${TEXT}, used_by_instance ${TEXT}, revoked_at BIGINT`,
    primaryKey: 'tenant, key',
  },
  {
    name: 'authorization_grant',
    columns: `tenant ${TEXT} NOT NULL, grant_id ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL,
      client_instance ${TEXT} NOT NULL, sub ${TEXT} NOT NULL, authorization_text ${TEXT} NOT NULL,
      created_at BIGINT NOT NULL, expires_at BIGINT, refresh_token_digest ${TEXT}, refresh_token_expires_at BIGINT,
      sid ${TEXT}`,
    primaryKey: 'tenant, grant_id',
  },
  {
    name: 'authorization_code',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, client_instance ${TEXT} NOT NULL,
      content ${TEXT} NOT NULL, expires_at BIGINT NOT NULL, kept_until BIGINT NOT NULL, grant_id ${TEXT}`,
    primaryKey: 'tenant, key',
  },
  {
    name: 'remembered_once',
    columns: `tenant ${TEXT} NOT NULL, kind ${TEXT} NOT NULL, owner ${TEXT} NOT NULL, value ${TEXT} NOT NULL,
      expires_at BIGINT NOT NULL`,
    primaryKey: 'tenant, kind, owner, value',
  },
  {
    name: 'server_key',
    columns: `tenant ${TEXT} NOT NULL, kid ${TEXT} NOT NULL, position BIGINT NOT NULL, use ${TEXT} NOT NULL,
      created_at BIGINT NOT NULL, active_at BIGINT NOT NULL, retired_at BIGINT, succeeds ${TEXT}, removed_at BIGINT,
      reason ${TEXT}, public_jwk ${TEXT}, sealed_jwk ${TEXT}`,
    primaryKey: 'tenant, kid',
  },
  {
    name: 'audit_event',
    columns: `tenant ${TEXT} NOT NULL, sequence BIGINT NOT NULL, at BIGINT NOT NULL, action ${TEXT} NOT NULL,
      outcome ${TEXT} NOT NULL, actor ${TEXT} NOT NULL, client_id ${TEXT}, request_id ${TEXT} NOT NULL,
      detail ${TEXT}`,
    primaryKey: 'tenant, sequence',
  },
  {
    name: 'change_journal',
    columns: `tenant ${TEXT} NOT NULL, sequence BIGINT NOT NULL, kind ${TEXT} NOT NULL, subject ${TEXT} NOT NULL,
      instance ${TEXT}`,
    primaryKey: 'tenant, sequence',
  },
  {
    name: 'account',
    columns: `tenant ${TEXT} NOT NULL, sub ${TEXT} NOT NULL, version BIGINT NOT NULL, login_name ${TEXT} NOT NULL,
      username ${TEXT} NOT NULL, password_hash ${TEXT}, claims ${TEXT} NOT NULL, created_at BIGINT NOT NULL,
      updated_at BIGINT NOT NULL, disabled_at BIGINT`,
    primaryKey: 'tenant, sub',
  },
  {
    name: 'known_browser',
    columns: `tenant ${TEXT} NOT NULL, sub ${TEXT} NOT NULL, browser ${TEXT} NOT NULL, expires_at BIGINT NOT NULL`,
    primaryKey: 'tenant, sub, browser',
  },
  {
    name: 'session',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, sid ${TEXT} NOT NULL, sub ${TEXT} NOT NULL,
      auth_time BIGINT NOT NULL, acr ${TEXT}, amr ${TEXT} NOT NULL, created_at BIGINT NOT NULL,
      last_seen_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, ends_at BIGINT NOT NULL`,
    primaryKey: 'tenant, key',
  },
  {
    name: 'session_client',
    columns: `tenant ${TEXT} NOT NULL, sid ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL,
      first_used_at BIGINT NOT NULL, last_used_at BIGINT NOT NULL, issuer ${TEXT}`,
    primaryKey: 'tenant, sid, client_id, instance',
  },
  {
    name: 'logout_notification',
    columns: `tenant ${TEXT} NOT NULL, sid ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL,
      sub ${TEXT} NOT NULL, state ${TEXT} NOT NULL DEFAULT 'waiting', attempts BIGINT NOT NULL DEFAULT 0,
      attempted_at BIGINT, due_at BIGINT DEFAULT 0, problem ${TEXT}, issuer ${TEXT}`,
    primaryKey: 'tenant, sid, client_id, instance',
  },
  {
    name: 'interaction',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, kind ${TEXT} NOT NULL, browser ${TEXT} NOT NULL,
      version BIGINT NOT NULL, content ${TEXT} NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL`,
    primaryKey: 'tenant, key',
  },
  {
    name: 'consent',
    columns: `tenant ${TEXT} NOT NULL, sub ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL,
      scope ${TEXT} NOT NULL, claims ${TEXT} NOT NULL, resources ${TEXT} NOT NULL, granted_at BIGINT NOT NULL, updated_at BIGINT NOT NULL`,
    primaryKey: 'tenant, sub, client_id, instance',
  },
];

/** Tables that belong to no tenant. */
const WHOLE_TABLES: readonly string[] = [
  `CREATE TABLE tenant (tenant ${TEXT} NOT NULL, version BIGINT NOT NULL, settings ${TEXT} NOT NULL, created_at BIGINT NOT NULL, disabled_at BIGINT, PRIMARY KEY (tenant))`,
  `CREATE TABLE tenant_issuer (tenant ${TEXT} NOT NULL, position BIGINT NOT NULL, issuer ${TEXT} NOT NULL, PRIMARY KEY (tenant, position))`,
  `CREATE TABLE tenant_list (id BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (id))`,
  `CREATE TABLE seal_canary (id BIGINT NOT NULL, sealed ${TEXT} NOT NULL, PRIMARY KEY (id))`,
  `CREATE TABLE heartbeat (id BIGINT NOT NULL, beats BIGINT NOT NULL, PRIMARY KEY (id))`,
  'CREATE UNIQUE INDEX tenant_issuer_name ON tenant_issuer (issuer)',
  'INSERT INTO tenant_list (id, version) VALUES (1, 0)',
  'INSERT INTO heartbeat (id, beats) VALUES (1, 0)',
];

/**
 * Some indexes do not begin with the tenant. Without statistics the planner takes an index that does for as good as the
 * primary key, and reads all rows of the tenant (`query-plans.test.ts`). Some indexes are partial for the same reason.
 */
const INDEXES: readonly string[] = [
  'CREATE INDEX client_instance ON client (tenant, client_id, instance)',
  'CREATE INDEX client_registration_token ON client (registration_token_digest, tenant)',
  'CREATE UNIQUE INDEX client_shared ON client (tenant, shared_digest) WHERE shared_digest IS NOT NULL',
  'CREATE UNIQUE INDEX client_entity ON client (tenant, entity_id) WHERE entity_id IS NOT NULL',
  'CREATE INDEX client_end ON client (tenant, expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX access_token_expiry ON access_token (tenant, expires_at)',
  'CREATE INDEX access_token_grant ON access_token (tenant, grant_id) WHERE grant_id IS NOT NULL',
  'CREATE INDEX initial_access_token_expiry ON initial_access_token (tenant, expires_at) WHERE used_at IS NULL',
  'CREATE INDEX authorization_grant_expiry ON authorization_grant (tenant, expires_at) WHERE expires_at IS NOT NULL',
  'CREATE INDEX authorization_grant_client ON authorization_grant (client_id, client_instance, tenant)',
  'CREATE INDEX authorization_grant_subject ON authorization_grant (sub, tenant)',
  'CREATE INDEX authorization_grant_session ON authorization_grant (tenant, sid) WHERE sid IS NOT NULL',
  'CREATE INDEX authorization_code_keeping ON authorization_code (tenant, kept_until)',
  'CREATE INDEX remembered_once_expiry ON remembered_once (tenant, expires_at)',
  'CREATE INDEX audit_event_time ON audit_event (tenant, at)',
  'CREATE UNIQUE INDEX account_login_name ON account (tenant, login_name)',
  'CREATE INDEX known_browser_expiry ON known_browser (tenant, expires_at)',
  'CREATE UNIQUE INDEX session_sid ON session (tenant, sid)',
  'CREATE INDEX session_sub ON session (tenant, sub, last_seen_at)',
  'CREATE INDEX session_expiry ON session (tenant, expires_at)',
  'CREATE INDEX logout_notification_due ON logout_notification (tenant, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX logout_notification_settled ON logout_notification (tenant, attempted_at) WHERE due_at IS NULL',
  'CREATE INDEX interaction_expiry ON interaction (tenant, expires_at)',
  'CREATE INDEX consent_client ON consent (client_id, instance, tenant)',
];

/**
 * Protects a table by row security: a transaction sees and writes only the rows of the tenant that it has entered
 * (`enterTenant`), even as the owner of the table. Row security does not apply to a superuser.
 */
export function tenantTable({ name, columns, primaryKey }: TenantTable): readonly string[] {
  return [
    `CREATE TABLE ${name} (${columns}, PRIMARY KEY (${primaryKey}))`,
    `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY`,
    `ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`,
    `CREATE POLICY ${name}_of_tenant ON ${name} USING (tenant = current_setting('chancery.tenant', true))`,
  ];
}

/** Tables that later migrations added. */
export const RATE_SCHEMA: readonly string[] = [
  ...tenantTable({
    name: 'rate_bucket',
    columns: `tenant ${TEXT} NOT NULL, bucket ${TEXT} NOT NULL, full_at BIGINT NOT NULL`,
    primaryKey: 'tenant, bucket',
  }),
  'CREATE INDEX rate_bucket_full ON rate_bucket (tenant, full_at)',
  // A table of its own: other migrating processes wait for `schema_migration`, so changing that one would deadlock.
  'CREATE TABLE schema_compatibility (version BIGINT NOT NULL, compatible_from BIGINT NOT NULL, PRIMARY KEY (version))',
];

export const MARK_SCHEMA: readonly string[] = [
  `CREATE TABLE storage_mark (name ${TEXT} NOT NULL, content ${TEXT} NOT NULL, PRIMARY KEY (name))`,
];

export const PROCESS_SCHEMA: readonly string[] = [
  `CREATE TABLE server_process (id ${TEXT} NOT NULL, name ${TEXT} NOT NULL, ring ${TEXT} NOT NULL, beats BIGINT NOT NULL, PRIMARY KEY (id))`,
];

export const TIME_SCHEMA: readonly string[] = [
  'CREATE TABLE time_memory (id BIGINT NOT NULL, latest BIGINT NOT NULL, waited BIGINT NOT NULL, confirmation BIGINT NOT NULL, PRIMARY KEY (id))',
];

/**
 * The version of the list of tenants at which each one changed last, and the tenants whose logouts wait for delivery. Row
 * security hides the rows of tenants from a question about all tenants, so a table about all tenants has the answer.
 */
export const TENANT_ROUND_SCHEMA: readonly string[] = [
  'ALTER TABLE tenant ADD COLUMN listed BIGINT NOT NULL DEFAULT 0',
  'CREATE INDEX tenant_listed ON tenant (listed)',
  `CREATE TABLE logout_waiting (tenant ${TEXT} NOT NULL, PRIMARY KEY (tenant))`,
];

/** Client ID Metadata Documents. */
export const DOCUMENT_SCHEMA: readonly string[] = [`ALTER TABLE client ADD COLUMN document ${TEXT}`];

/** The account, the address and the software behind an event. */
export const PERSON_SCHEMA: readonly string[] = ['sub', 'address', 'user_agent'].map(
  (column) => `ALTER TABLE audit_event ADD COLUMN ${column} ${TEXT}`,
);

/** Renewals of federated clients. Clients of an older version are due at once, if anything uses them. */
export const RENEWAL_SCHEMA: readonly string[] = [
  `ALTER TABLE client ADD COLUMN federation ${TEXT}`,
  'ALTER TABLE client ADD COLUMN resolved_at BIGINT',
  'ALTER TABLE client ADD COLUMN renew_at BIGINT',
  `UPDATE client SET resolved_at = issued_at, renew_at = issued_at
   WHERE registered_via LIKE 'federation:%' AND expires_at IS NOT NULL`,
  'CREATE INDEX client_renewal ON client (tenant, renew_at) WHERE renew_at IS NOT NULL',
];

/** The owners of the tenants that files declare. */
export const TENANT_OWNER_SCHEMA: readonly string[] = [`ALTER TABLE tenant ADD COLUMN owner ${TEXT}`];

/** Deleted tenants: their ids stay taken. */
export const DELETED_TENANT_SCHEMA: readonly string[] = ['deleted_at', 'cleared_at'].map(
  (column) => `ALTER TABLE tenant ADD COLUMN ${column} BIGINT`,
);

export const TRUST_ANCHOR_SCHEMA: readonly string[] = tenantTable({
  name: 'trust_anchor',
  columns: `tenant ${TEXT} NOT NULL, entity_id ${TEXT} NOT NULL, version BIGINT NOT NULL, content ${TEXT} NOT NULL`,
  primaryKey: 'tenant, entity_id',
});

/** As in SQLite. The tenant comes last: see `INDEXES`. */
export const INSTANCE_ORDER_SCHEMA: readonly string[] = [
  'DROP INDEX client_instance',
  'CREATE INDEX client_instance ON client (instance, client_id, tenant)',
];

/** The owners of the clients that files declare. */
export const OWNER_SCHEMA: readonly string[] = [
  `ALTER TABLE client ADD COLUMN owner ${TEXT}`,
  'CREATE INDEX client_owner ON client (tenant, owner, client_id) WHERE owner IS NOT NULL',
];

/** Roles of accounts in the administration, and the orders in which it lists what belongs to people. */
export const ADMINISTRATION_SCHEMA: readonly string[] = [
  'ALTER TABLE account ADD COLUMN admin_role BIGINT',
  'CREATE INDEX account_role ON account (tenant, admin_role, login_name) WHERE admin_role IS NOT NULL',
  'CREATE INDEX account_disabled ON account (tenant, login_name) WHERE disabled_at IS NOT NULL',
  'CREATE INDEX account_created ON account (tenant, created_at, sub) WHERE created_at >= 0',
  'CREATE INDEX session_created ON session (tenant, created_at, sid)',
  'CREATE INDEX session_client_use ON session_client (client_id, tenant, first_used_at, sid)',
  'DROP INDEX authorization_grant_client',
  'CREATE INDEX authorization_grant_client ON authorization_grant (client_id, client_instance, tenant, grant_id)',
  'DROP INDEX authorization_grant_subject',
  'CREATE INDEX authorization_grant_subject ON authorization_grant (sub, tenant, grant_id)',
  'DROP INDEX consent_client',
  'CREATE INDEX consent_client ON consent (client_id, instance, tenant, sub)',
  `ALTER TABLE access_token ADD COLUMN sub ${TEXT}`,
  `UPDATE access_token AS token SET sub = held.sub FROM authorization_grant AS held
   WHERE held.tenant = token.tenant AND held.grant_id = token.grant_id`,
  'CREATE INDEX access_token_subject ON access_token (sub, tenant, key) WHERE sub IS NOT NULL',
  'CREATE INDEX access_token_client ON access_token (client_id, tenant, key)',
];

/** Ways into the audit for searches. The columns without the tenant in front: see `INDEXES`. */
export const AUDIT_SEARCH_SCHEMA: readonly string[] = [
  'DROP INDEX audit_event_time',
  'CREATE INDEX audit_event_time ON audit_event (tenant, at, sequence)',
  'CREATE INDEX audit_event_request ON audit_event (request_id, tenant, at, sequence)',
  `CREATE INDEX audit_event_subject ON audit_event (sub, tenant, at, sequence) WHERE ${indexed('sub')}`,
  `CREATE INDEX audit_event_client ON audit_event (client_id, tenant, at, sequence) WHERE ${indexed('client_id')}`,
  'CREATE INDEX audit_event_address ON audit_event (address, tenant, at, sequence) WHERE address IS NOT NULL',
  'CREATE INDEX audit_event_action ON audit_event (action, tenant, at, sequence)',
  `CREATE INDEX audit_event_actor ON audit_event (actor, tenant, at, sequence) WHERE ${indexed('actor')}`,
  "CREATE INDEX audit_event_refused ON audit_event (tenant, at, sequence) WHERE outcome = 'refused'",
];

/** Webhooks, what they have to deliver, and the tenants that have some: row security hides the rows of other tenants. */
export const WEBHOOK_SCHEMA: readonly string[] = [
  ...tenantTable({
    name: 'webhook',
    columns: `tenant ${TEXT} NOT NULL, id ${TEXT} NOT NULL, version BIGINT NOT NULL, configuration ${TEXT} NOT NULL,
      sealed ${TEXT} NOT NULL, created_at BIGINT NOT NULL, updated_at BIGINT NOT NULL, disabled_at BIGINT,
      position BIGINT NOT NULL, delivered_at BIGINT, delivered BIGINT NOT NULL, missed BIGINT NOT NULL`,
    primaryKey: 'tenant, id',
  }),
  ...tenantTable({
    name: 'webhook_delivery',
    columns: `tenant ${TEXT} NOT NULL, webhook_id ${TEXT} NOT NULL, after_sequence BIGINT NOT NULL,
      until_sequence BIGINT NOT NULL, events BIGINT NOT NULL, missed BIGINT NOT NULL,
      state ${TEXT} NOT NULL DEFAULT 'waiting', created_at BIGINT NOT NULL, attempts BIGINT NOT NULL DEFAULT 0,
      attempted_at BIGINT, due_at BIGINT DEFAULT 0, problem ${TEXT}`,
    primaryKey: 'tenant, webhook_id, after_sequence',
  }),
  'CREATE INDEX webhook_delivery_due ON webhook_delivery (tenant, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX webhook_delivery_failed ON webhook_delivery (tenant, attempted_at) WHERE due_at IS NULL',
  `CREATE TABLE webhook_tenant (tenant ${TEXT} NOT NULL, PRIMARY KEY (tenant))`,
];

/** The tokens that a token was exchanged from, directly or through others, and their clients. */
export const EXCHANGE_SCHEMA: readonly string[] = [
  // A number keeps the row narrow. With another text the planner would take each index for as good as the primary key.
  'ALTER TABLE access_token ADD COLUMN exchanged BIGINT',
  ...tenantTable({
    name: 'token_origin',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, origin_key ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL,
      client_instance ${TEXT} NOT NULL, expires_at BIGINT NOT NULL`,
    primaryKey: 'tenant, key, origin_key',
  }),
  'CREATE INDEX token_origin_of ON token_origin (origin_key, tenant)',
  'CREATE INDEX token_origin_expiry ON token_origin (tenant, expires_at)',
];

/** Finds the tokens of other clients that end with a client. */
export const ORIGIN_CLIENT_SCHEMA: readonly string[] = [
  'CREATE INDEX token_origin_client ON token_origin (client_instance, client_id, tenant)',
];

/** Former versions of clients, deleted clients in their grace period, and the reasons that operators give for changes. */
export const HISTORY_SCHEMA: readonly string[] = [
  `ALTER TABLE audit_event ADD COLUMN reason ${TEXT}`,
  ...tenantTable({
    name: 'client_version',
    columns: `tenant ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, instance ${TEXT} NOT NULL, version BIGINT NOT NULL,
      ended_at BIGINT NOT NULL, deleted_at BIGINT, action ${TEXT} NOT NULL, actor ${TEXT} NOT NULL,
      request_id ${TEXT} NOT NULL, reason ${TEXT}, issued_at BIGINT NOT NULL, registered_via ${TEXT} NOT NULL,
      registration_token_digest ${TEXT} NOT NULL, secrets ${TEXT} NOT NULL, privileges ${TEXT} NOT NULL,
      metadata ${TEXT} NOT NULL, data ${TEXT}, shared_digest ${TEXT}, entity_id ${TEXT}, expires_at BIGINT,
      document ${TEXT}, federation ${TEXT}, owner ${TEXT}`,
    primaryKey: 'tenant, client_id, instance, version',
  }),
  'CREATE INDEX client_version_end ON client_version (tenant, ended_at) WHERE deleted_at IS NULL',
  'CREATE INDEX client_version_deleted ON client_version (tenant, deleted_at, client_id) WHERE deleted_at IS NOT NULL',
];

/** The facts about an end, for those who follow the journal (ADR 93). Rows of earlier programs have none of them. */
export const ENDING_SCHEMA: readonly string[] = [
  ...['ended', 'client_id', 'sub'].map((column) => `ALTER TABLE change_journal ADD COLUMN ${column} ${TEXT}`),
  'ALTER TABLE change_journal ADD COLUMN expires_at BIGINT',
];

/** The schema of the first version, as single statements. */
export const FIRST_SCHEMA: readonly string[] = [
  ...TENANT_TABLES.flatMap(tenantTable),
  ...WHOLE_TABLES,
  ...INDEXES,
];
