import type { AuditEvent } from '../../ports/audit-log.ts';
import type { ClientVersion } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { KEPT_OF_CLIENT, versionEnd } from '../rows.ts';
import type { Transaction, Values } from './noun.ts';
import { statement } from './statement.ts';

/** Adds the stored row of a client to its former versions: as the statement sees it, before it changes. */
const KEEPING = `INSERT INTO client_version (tenant, client_id, instance, version, ended_at, deleted_at, action, actor,
     request_id, reason, ${KEPT_OF_CLIENT})
   SELECT tenant, client_id, instance, version, :ended_at::bigint, :deleted_at::bigint, :end_action::text,
     :end_actor::text, :end_request_id::text, :reason::text, ${KEPT_OF_CLIENT} FROM client
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance`;

/** For a statement that replaces the version `:expected`: keeps it. */
export const KEEPING_VERSION = `kept AS (${KEEPING} AND version = :expected AND EXISTS (SELECT 1 FROM found))`;

/** The values of `KEEPING`. */
export const endingValues = (event: AuditEvent, deleted_at: number | null): Values => {
  const { ended_at, action, actor, request_id, reason } = versionEnd(event);
  return { ended_at, deleted_at, end_action: action, end_actor: actor, end_request_id: request_id, reason };
};

const TRIM = statement(
  'client_version_trim',
  `DELETE FROM client_version WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version <= (
     SELECT version FROM client_version WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance
     ORDER BY version DESC LIMIT 1 OFFSET :versions_max)`,
);

/** Lets the newest `versionsMax` former versions of a client stay. */
export async function trimVersions(
  transaction: Transaction,
  tenant: TenantId,
  { client_id, instance }: Omit<ClientVersion, 'version'>,
  versionsMax: number,
): Promise<void> {
  await transaction.query(TRIM, { tenant, client_id, instance, versions_max: versionsMax });
}

const KEEP = statement('client_version_keep', KEEPING);
const REMOVE = statement(
  'client_version_remove',
  'DELETE FROM client_version WHERE tenant = :tenant AND client_id = :client_id',
);
const REMOVE_OTHERS = statement(
  'client_version_remove_others',
  'DELETE FROM client_version WHERE tenant = :tenant AND client_id = :client_id AND instance <> :instance',
);

/**
 * Ends the history of a client that is deleted, or lets it wait for a restoration. If several clients had one identifier, only
 * the last one that was deleted can be restored.
 */
export async function endHistory(
  transaction: Transaction,
  place: { readonly tenant: TenantId } & Omit<ClientVersion, 'version'>,
  kept: AuditEvent | undefined,
): Promise<void> {
  await transaction.query(kept === undefined ? REMOVE : REMOVE_OTHERS, place);
  if (kept !== undefined) await transaction.query(KEEP, { ...place, ...endingValues(kept, kept.at) });
}
