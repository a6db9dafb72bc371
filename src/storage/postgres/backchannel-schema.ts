import { TEXT, tenantTable } from './schema.ts';

/** Requests of clients without a browser, the clients that people have blocked, and the tenants whose clients wait for notifications. */
export const BACKCHANNEL_SCHEMA: readonly string[] = [
  ...tenantTable({
    name: 'backchannel_request',
    columns: `tenant ${TEXT} NOT NULL, key ${TEXT} NOT NULL, id ${TEXT} NOT NULL, person ${TEXT} NOT NULL, sub ${TEXT},
      client_id ${TEXT} NOT NULL, client_instance ${TEXT} NOT NULL, state ${TEXT} NOT NULL, code ${TEXT},
      poll_interval BIGINT NOT NULL, content ${TEXT} NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
      kept_until BIGINT NOT NULL, attempts BIGINT NOT NULL, due_at BIGINT, problem ${TEXT}`,
    primaryKey: 'tenant, key',
  }),
  'CREATE UNIQUE INDEX backchannel_request_id ON backchannel_request (tenant, id)',
  "CREATE INDEX backchannel_request_person ON backchannel_request (tenant, person, expires_at) WHERE state = 'open'",
  `CREATE INDEX backchannel_request_client ON backchannel_request (tenant, client_id, client_instance, expires_at)
     WHERE state = 'open'`,
  "CREATE INDEX backchannel_request_sub ON backchannel_request (tenant, sub, created_at, key) WHERE state = 'open'",
  'CREATE INDEX backchannel_request_due ON backchannel_request (tenant, due_at) WHERE due_at IS NOT NULL',
  'CREATE INDEX backchannel_request_kept ON backchannel_request (tenant, kept_until)',
  ...tenantTable({
    name: 'backchannel_block',
    columns: `tenant ${TEXT} NOT NULL, sub ${TEXT} NOT NULL, client_id ${TEXT} NOT NULL, client_instance ${TEXT} NOT NULL,
      blocked_at BIGINT NOT NULL, expires_at BIGINT NOT NULL`,
    primaryKey: 'tenant, sub, client_id, client_instance',
  }),
  'CREATE INDEX backchannel_block_expiry ON backchannel_block (tenant, expires_at)',
  `CREATE TABLE backchannel_tenant (tenant ${TEXT} NOT NULL, PRIMARY KEY (tenant))`,
];
