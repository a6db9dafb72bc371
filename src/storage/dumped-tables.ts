import type { DumpColumn, DumpSection, DumpTable, TableReader } from '../ports/table-dump.ts';

/** Describes a table. `name*` is a column of the key, `name#` a number; both marks may be combined. */
function table(name: string, ofTenants: boolean, columns: string): DumpTable {
  const described = columns.split(/\s+/u).map((word) => ({
    column: {
      name: word.replaceAll(/[*#]/gu, ''),
      type: word.includes('#') ? 'integer' : 'text',
    } satisfies DumpColumn,
    isKey: word.includes('*'),
  }));
  return {
    name,
    ofTenants,
    columns: described.map(({ column }) => column),
    keyLength: described.filter(({ isKey }) => isKey).length,
  };
}

/**
 * All data of a storage, in the order of copying. `counters` is the last table of tenants, because SQLite derives counters
 * from the other tables. The heartbeat, the server processes, the list of migrations and the marks are not copied.
 */
export const DUMPED_TABLES: readonly DumpTable[] = [
  table('tenant', false, 'tenant* version# settings created_at# disabled_at# deleted_at# cleared_at# owner'),
  table('tenant_issuer', false, 'tenant* position*# issuer'),
  table('tenant_list', false, 'id*# version#'),
  table('seal_canary', false, 'id*# sealed'),
  table(
    'client',
    true,
    `tenant* client_id* instance version# issued_at# registration_token_digest registration_token_sealed registered_via
    secrets privileges metadata data shared_digest entity_id expires_at# document federation resolved_at#
    renew_at# owner`,
  ),
  table('deleted_client', true, 'tenant* client_id* instance* deleted_at#'),
  table(
    'client_version',
    true,
    `tenant* client_id* instance* version*# ended_at# deleted_at# action actor request_id reason issued_at# registered_via
    registration_token_digest secrets privileges metadata data shared_digest entity_id expires_at# document federation owner`,
  ),
  table('open_client_count', true, 'tenant* clients#'),
  table('client_use', true, 'tenant* client_id* instance* secret_digest* last_used_at#'),
  table('client_with_orphans', true, 'tenant* client_id* instance*'),
  table(
    'access_token',
    true,
    'tenant* key* expires_at# client_id client_instance grant_id introspection sub exchanged#',
  ),
  table('token_origin', true, 'tenant* key* origin_key* client_id client_instance expires_at#'),
  table(
    'initial_access_token',
    true,
    `tenant* key* label issued_at# scope redirect_hosts expires_at# used_at# used_by_client_id used_by_instance
    revoked_at#`,
  ),
  table(
    'authorization_grant',
    true,
    `tenant* grant_id* client_id client_instance sub authorization created_at# expires_at# refresh_token_digest
    refresh_token_expires_at# sid`,
  ),
  table(
    'authorization_code',
    true,
    'tenant* key* client_id client_instance content expires_at# kept_until# grant_id',
  ),
  table('rate_bucket', true, 'tenant* bucket* full_at#'),
  table('remembered_once', true, 'tenant* kind* owner* value* expires_at#'),
  table(
    'server_key',
    true,
    'tenant* kid* position# use created_at# active_at# retired_at# succeeds removed_at# reason public_jwk sealed_jwk',
  ),
  table('trust_anchor', true, 'tenant* entity_id* version# content'),
  table(
    'account',
    true,
    'tenant* sub* version# login_name username password_hash claims created_at# updated_at# disabled_at# admin_role#',
  ),
  table('known_browser', true, 'tenant* sub* browser* expires_at#'),
  table(
    'session',
    true,
    'tenant* key* sid sub auth_time# acr amr created_at# last_seen_at# expires_at# ends_at#',
  ),
  table('session_client', true, 'tenant* sid* client_id* instance* first_used_at# last_used_at# issuer'),
  table(
    'logout_notification',
    true,
    'tenant* sid* client_id* instance* sub state attempts# attempted_at# due_at# problem issuer',
  ),
  table('interaction', true, 'tenant* key* kind browser version# content created_at# expires_at#'),
  table('backchannel_tenant', true, 'tenant*'),
  table(
    'backchannel_request',
    true,
    `tenant* key* id person sub client_id client_instance state code poll_interval# content created_at# expires_at#
    kept_until# attempts# due_at# problem`,
  ),
  table('backchannel_block', true, 'tenant* sub* client_id* client_instance* blocked_at# expires_at#'),
  table('consent', true, 'tenant* sub* client_id* instance* scope claims resources granted_at# updated_at#'),
  table(
    'audit_event',
    true,
    'tenant* sequence*# at# action outcome actor client_id request_id detail sub address user_agent reason',
  ),
  table('webhook_tenant', true, 'tenant*'),
  table(
    'webhook',
    true,
    `tenant* id* version# configuration sealed created_at# updated_at# disabled_at# position# delivered_at# delivered#
    missed#`,
  ),
  table(
    'webhook_delivery',
    true,
    `tenant* webhook_id* after_sequence*# until_sequence# events# missed# state created_at# attempts# attempted_at#
    due_at# problem`,
  ),
  table('event_stream_tenant', true, 'tenant*'),
  table(
    'event_stream',
    true,
    `tenant* id* client_id instance issuer version# configuration sealed method events status status_reason held_max#
    created_at# updated_at# verified_at# sequence# drains_to# held# delivered# delivered_at# lease# attempts# attempted_at#
    due_at# problem`,
  ),
  table('event_stream_subject', true, 'tenant* stream_id* key* content'),
  table('security_event', true, 'tenant* stream_id* sequence*# kind content at# state attempted_at# problem'),
  table('change_journal', true, 'tenant* sequence*# kind subject instance ended client_id sub expires_at#'),
  table('counters', true, 'tenant* journal# audit#'),
];

/** Tables of tenants that servers fill again from the others, so that a copy leaves them out. */
export const DERIVED_TABLES: readonly DumpTable[] = [
  table(
    'client_entry',
    true,
    'tenant* client_id* instance version# issued_at# name last_used_at# secret_expires_at# terms',
  ),
  table('client_term', true, 'tenant* term* issued_at*# client_id*'),
  table('client_listing', true, 'tenant* walked_to audited#'),
];

/** Returns the sections of a table: one for each tenant, or one for the whole table. */
export function sectionsOf(dumped: DumpTable, tenants: readonly string[]): readonly DumpSection[] {
  if (!dumped.ofTenants) return [{ table: dumped, tenant: undefined }];
  return tenants.map((tenant) => ({ table: dumped, tenant }));
}

export async function countOf(
  reader: TableReader,
  dumped: DumpTable,
  tenants: readonly string[],
): Promise<number> {
  let rows = 0;
  for (const section of sectionsOf(dumped, tenants)) rows += await reader.count(section);
  return rows;
}
