/**
 * Condition of clients whose registration has ended for good. A client that can be renewed stays while it holds grants: they
 * are what it was promised.
 */
export const CLIENT_HAS_ENDED = `expires_at <= :now AND (renew_at IS NULL OR (expires_at <= :renewable_before
  AND (SELECT held.grant_id FROM authorization_grant AS held WHERE held.tenant = :tenant
    AND held.client_id = client.client_id AND held.client_instance = client.instance LIMIT 1) IS NULL))`;

/** Conditions of rows that a sweep removes, by table. Each has an index that begins with the tenant. */
const SWEPT: readonly (readonly [table: string, condition: string])[] = Object.entries({
  access_token: 'expires_at < :now',
  token_origin: 'expires_at < :now',
  initial_access_token: 'used_at IS NULL AND expires_at < :now',
  authorization_code: 'kept_until < :now',
  authorization_grant: 'expires_at < :now',
  client_with_orphans: '1 = 1',
  remembered_once: 'expires_at < :now',
  rate_bucket: 'full_at < :now * 1000000',
  session: 'expires_at < :now',
  logout_notification: 'due_at IS NULL AND attempted_at < :settled_before',
  webhook_delivery: 'due_at IS NULL AND attempted_at < :audited_before',
  security_event: "state = 'failed' AND attempted_at < :audited_before",
  interaction: 'expires_at < :now',
  backchannel_request: 'kept_until < :now',
  backchannel_block: 'expires_at < :now',
  known_browser: 'expires_at < :now',
  audit_event: 'at < :audited_before',
  client: CLIENT_HAS_ENDED,
  client_version: 'deleted_at IS NULL AND ended_at < :versions_before',
});

/** One condition for each index: an alternative of both would use neither. */
const DELETED_CLIENTS = ['client_version', 'deleted_at < :deleted_before'] as const;

/** Asks in one statement whether a sweep of the tenant would find anything. */
export const IS_SWEEPABLE = `SELECT 1 AS due WHERE ${[...SWEPT, DELETED_CLIENTS]
  .map(
    ([table, condition]) => `EXISTS (SELECT 1 FROM ${table} WHERE tenant = :tenant AND ${condition} LIMIT 1)`,
  )
  .join(' OR ')}`;
