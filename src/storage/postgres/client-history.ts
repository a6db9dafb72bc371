import type { ClientHistory, RestoreOutcome } from '../../ports/client-history.ts';
import { FORMER_VERSION, versionEnd } from '../rows.ts';
import { record } from './audit.ts';
import { CHANGING, CHANGING_VALUES, clientValues } from './client-life.ts';
import { changed, one, type TenantNoun } from './noun.ts';
import type { Row } from './statement.ts';
import { statement } from './statement.ts';

const SELECT = `SELECT ${FORMER_VERSION.columns} FROM client_version`;

const VERSIONS = statement(
  'client_version_page',
  `${SELECT} WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version < :before
   ORDER BY version DESC LIMIT :limit`,
);
const VERSION = statement(
  'client_version_find',
  `${SELECT} WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version = :version`,
);
const DELETED = statement(
  'client_version_deleted_find',
  `${SELECT} WHERE tenant = :tenant AND client_id = :client_id AND deleted_at IS NOT NULL`,
);
const DELETED_PAGE = statement(
  'client_version_deleted_page',
  `${SELECT} WHERE tenant = :tenant AND deleted_at IS NOT NULL AND (deleted_at, client_id) < (:deleted_at, :client_id)
   ORDER BY deleted_at DESC, client_id DESC LIMIT :limit`,
);
const SEALED_PAGE = statement(
  'client_version_sealed_page',
  `${SELECT} WHERE tenant = :tenant AND (client_id, instance, version) > (:client_id, :instance, :version)
     AND secrets <> '[]' ORDER BY client_id, instance, version LIMIT :limit`,
);

const OBSTACLE = statement(
  'client_restore_look',
  `SELECT EXISTS (SELECT 1 FROM client_version WHERE tenant = :tenant AND client_id = :client_id AND instance = :former
       AND version = :former_version AND deleted_at IS NOT NULL) AS kept,
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = :client_id) AS taken,
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND shared_digest = :shared_digest) AS identical,
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND entity_id = :entity_id) AS of_entity`,
);
const INSERT = statement(
  'client_restore',
  `INSERT INTO client (tenant, client_id, instance, ${CHANGING})
   SELECT :tenant::text, :client_id::text, :instance::text, ${CHANGING_VALUES}`,
);
const COUNT = statement(
  'client_restore_count',
  `INSERT INTO open_client_count (tenant, clients) VALUES (:tenant, 1)
   ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + 1`,
);
const PASS_ON = statement(
  'client_version_pass_on',
  `UPDATE client_version SET instance = :instance, secrets = '[]', deleted_at = NULL
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :former`,
);
const END_LAST = statement(
  'client_version_end_last',
  `UPDATE client_version SET ended_at = :ended_at, action = :action, actor = :actor, request_id = :request_id,
     reason = :reason
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version = :former_version`,
);

const PURGE = statement(
  'client_version_purge',
  'DELETE FROM client_version WHERE tenant = :tenant AND client_id = :client_id',
);
const RESEAL = statement(
  'client_version_reseal',
  `UPDATE client_version SET secrets = :secrets
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version = :version`,
);
/** A list of keys lets the planner find the rows by key; it takes a subquery for a join with all rows of the tenant. */
const SWEEP_VERSIONS = statement(
  'client_version_sweep',
  `DELETE FROM client_version WHERE tenant = :tenant AND client_id = ANY(ARRAY(
     SELECT client_id FROM client_version WHERE tenant = :tenant AND deleted_at IS NULL AND ended_at < :before
     ORDER BY ended_at LIMIT :limit)) AND deleted_at IS NULL AND ended_at < :before`,
);
const removal = (which: string): string => {
  const listOf = (column: string): string =>
    `ARRAY(SELECT ${column} FROM client_version WHERE tenant = :tenant AND deleted_at > 0 ${which})`;
  return `DELETE FROM client_version WHERE tenant = :tenant AND client_id = ANY(${listOf('client_id')})
    AND instance = ANY(${listOf('instance')})`;
};
const SWEEP_DELETED = statement(
  'client_version_sweep_deleted',
  removal('AND deleted_at < :before ORDER BY deleted_at, client_id LIMIT :limit'),
);
const SWEEP_BEYOND = statement(
  'client_version_sweep_beyond',
  removal('ORDER BY deleted_at DESC, client_id DESC LIMIT :limit OFFSET :max'),
);

type Reads = 'versions' | 'version' | 'deleted' | 'deletedPage' | 'sealedPage';

export const clientHistory: TenantNoun<ClientHistory, Reads> = {
  reads: {
    versions:
      ({ primary }) =>
      async (tenant, { client_id, instance }, before = Number.MAX_SAFE_INTEGER, limit) =>
        (await primary.slowRows(tenant, VERSIONS, { client_id, instance, before, limit })).map(
          FORMER_VERSION.read,
        ),
    version:
      ({ primary }) =>
      async (tenant, { client_id, instance, version }) =>
        FORMER_VERSION.readOptional(
          (await primary.rows(tenant, VERSION, { client_id, instance, version }))[0],
        ),
    deleted:
      ({ primary }) =>
      async (tenant, client_id) =>
        FORMER_VERSION.readOptional((await primary.rows(tenant, DELETED, { client_id }))[0]),
    deletedPage:
      ({ primary }) =>
      async (tenant, after, limit) => {
        const { deleted_at = Number.MAX_SAFE_INTEGER, client_id = '' } = after ?? {};
        return (await primary.slowRows(tenant, DELETED_PAGE, { deleted_at, client_id, limit })).map(
          FORMER_VERSION.read,
        );
      },
    sealedPage:
      ({ primary }) =>
      async (tenant, after, limit) => {
        const { client_id = '', instance = '', version = 0 } = after ?? {};
        const found = await primary.slowRows(tenant, SEALED_PAGE, { client_id, instance, version, limit });
        return found.map(FORMER_VERSION.read);
      },
  },
  writes: {
    restore: {
      locksTenant: true,
      async interactive(transaction, tenant, client, deleted, event) {
        const { client_id } = client;
        const former = { tenant, client_id, former: deleted.instance, former_version: deleted.version };
        const { shared_digest, entity_id, instance } = client;
        const seen = await one(transaction.query(OBSTACLE, { ...former, shared_digest, entity_id }));
        const found = obstacle(seen);
        if (found !== undefined) return found;
        await transaction.query(INSERT, { tenant, ...clientValues(client) });
        if (client.registered_via === 'open') await transaction.query(COUNT, { tenant });
        await transaction.query(PASS_ON, { ...former, instance });
        await transaction.query(END_LAST, { ...former, instance, ...versionEnd(event) });
        await record(transaction, tenant, event);
        return 'restored';
      },
    },
    purge: {
      locksTenant: true,
      async interactive(transaction, tenant, client_id, event) {
        const removed = await changed(transaction.query(PURGE, { tenant, client_id }));
        if (removed > 0) await record(transaction, tenant, event);
        return removed;
      },
    },
    reseal: {
      locksTenant: false,
      async pipelined(transaction, tenant, { client_id, instance, version }, secrets) {
        const key = { tenant, client_id, instance, version };
        await transaction.query(RESEAL, { ...key, secrets: JSON.stringify(secrets) });
      },
    },
    sweep: {
      locksTenant: false,
      async pipelined(transaction, tenant, { versionsBefore, deletedBefore, deletedMax }, limit) {
        const counts = [
          changed(transaction.query(SWEEP_VERSIONS, { tenant, before: versionsBefore, limit })),
          changed(transaction.query(SWEEP_DELETED, { tenant, before: deletedBefore, limit })),
          changed(transaction.query(SWEEP_BEYOND, { tenant, max: deletedMax, limit })),
        ];
        return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
      },
    },
  },
};

/** Returns the first reason not to restore a client, in the order that all engines share. */
function obstacle(seen: Row | undefined): Exclude<RestoreOutcome, 'restored'> | undefined {
  if (seen?.['kept'] !== true) return 'absent';
  if (seen['taken'] === true) return 'client_id_taken';
  if (seen['identical'] === true) return 'identical_exists';
  return seen['of_entity'] === true ? 'entity_exists' : undefined;
}
