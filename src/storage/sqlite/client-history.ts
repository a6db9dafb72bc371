import type { DatabaseSync } from 'node:sqlite';
import type { ClientHistory, RestoreOutcome } from '../../ports/client-history.ts';
import type { ClientVersion, StoredClient } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { FORMER_VERSION, versionEnd } from '../rows.ts';
import { eventRecording } from './audit.ts';
import { clientInsertion, openClientCount, opened } from './client-life.ts';
import type { TenantNoun } from './noun.ts';

const SELECT = `SELECT ${FORMER_VERSION.columns} FROM client_version`;

type Reads = 'versions' | 'version' | 'deleted' | 'deletedPage' | 'sealedPage';

export const clientHistory: TenantNoun<ClientHistory, Reads> = {
  reads: {
    versions({ scans }) {
      const page = scans.prepare(`
        ${SELECT} WHERE tenant = ? AND client_id = ? AND instance = ? AND version < ? ORDER BY version DESC LIMIT ?`);
      return (tenant, { client_id, instance }, before, limit) =>
        page
          .all(tenant, client_id, instance, before ?? Number.MAX_SAFE_INTEGER, limit)
          .map(FORMER_VERSION.read);
    },
    version({ lookUps }) {
      const find = lookUps.prepare(
        `${SELECT} WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?`,
      );
      return (tenant, { client_id, instance, version }) =>
        FORMER_VERSION.readOptional(find.get(tenant, client_id, instance, version));
    },
    deleted({ lookUps }) {
      const find = lookUps.prepare(`${SELECT} WHERE tenant = ? AND client_id = ? AND deleted_at IS NOT NULL`);
      return (tenant, client_id) => FORMER_VERSION.readOptional(find.get(tenant, client_id));
    },
    deletedPage({ scans }) {
      const page = scans.prepare(`
        ${SELECT} INDEXED BY client_version_deleted WHERE tenant = ? AND deleted_at IS NOT NULL
          AND (deleted_at, client_id) < (?, ?) ORDER BY deleted_at DESC, client_id DESC LIMIT ?`);
      return (tenant, after, limit) =>
        page
          .all(tenant, after?.deleted_at ?? Number.MAX_SAFE_INTEGER, after?.client_id ?? '', limit)
          .map(FORMER_VERSION.read);
    },
    sealedPage({ scans }) {
      const page = scans.prepare(`
        ${SELECT} WHERE tenant = ? AND (client_id, instance, version) > (?, ?, ?) AND secrets <> '[]'
        ORDER BY client_id, instance, version LIMIT ?`);
      return (tenant, after, limit) =>
        page
          .all(tenant, after?.client_id ?? '', after?.instance ?? '', after?.version ?? 0, limit)
          .map(FORMER_VERSION.read);
    },
  },
  writes: {
    restore: restoration,
    purge(database) {
      const remove = database.prepare('DELETE FROM client_version WHERE tenant = ? AND client_id = ?');
      const record = eventRecording(database);
      return (tenant, client_id, event) => {
        const removed = Number(remove.run(tenant, client_id).changes);
        if (removed > 0) record(tenant, event);
        return removed;
      };
    },
    reseal(database) {
      const reseal = database.prepare(`
        UPDATE client_version SET secrets = ? WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?`);
      return (tenant, { client_id, instance, version }, secrets) =>
        void reseal.run(JSON.stringify(secrets), tenant, client_id, instance, version);
    },
    sweep(database) {
      const versions = database.prepare(`
        DELETE FROM client_version WHERE rowid IN (
          SELECT rowid FROM client_version INDEXED BY client_version_end
          WHERE tenant = ? AND deleted_at IS NULL AND ended_at < ? ORDER BY ended_at LIMIT ?)`);
      const removal = (which: string): string => `
        DELETE FROM client_version WHERE tenant = ?1 AND (client_id, instance) IN (
          SELECT client_id, instance FROM client_version INDEXED BY client_version_deleted
          WHERE tenant = ?1 AND deleted_at IS NOT NULL ${which})`;
      const deleted = database.prepare(removal('AND deleted_at < ?2 ORDER BY deleted_at LIMIT ?3'));
      const beyond = database.prepare(removal('ORDER BY deleted_at DESC, client_id DESC LIMIT ?3 OFFSET ?2'));
      return (tenant, { versionsBefore, deletedBefore, deletedMax }, limit) =>
        Number(versions.run(tenant, versionsBefore, limit).changes) +
        Number(deleted.run(tenant, deletedBefore, limit).changes) +
        Number(beyond.run(tenant, deletedMax, limit).changes);
    },
  },
};

function restoration(
  database: DatabaseSync,
): (tenant: TenantId, ...values: Parameters<ClientHistory['restore']>) => RestoreOutcome {
  const obstacle = restoreObstacle(database);
  const insert = clientInsertion(database);
  const count = openClientCount(database);
  const passOn = database.prepare(`
    UPDATE client_version SET instance = ?4, secrets = '[]', deleted_at = NULL
    WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3`);
  const endLast = database.prepare(`
    UPDATE client_version SET ended_at = ?5, action = ?6, actor = ?7, request_id = ?8, reason = ?9
    WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3 AND version = ?4`);
  const record = eventRecording(database);
  return (tenant, client, deleted, event) => {
    const found = obstacle(tenant, client, deleted);
    if (found !== undefined) return found;
    const { client_id, instance } = client;
    const { ended_at, action, actor, request_id, reason } = versionEnd(event);
    insert(tenant, client);
    count(tenant, opened(client.registered_via));
    passOn.run(tenant, client_id, deleted.instance, instance);
    endLast.run(tenant, client_id, instance, deleted.version, ended_at, action, actor, request_id, reason);
    record(tenant, event);
    return 'restored';
  };
}

type Obstacle = Exclude<RestoreOutcome, 'restored'>;

/** Finds the first reason not to restore a client. */
function restoreObstacle(
  database: DatabaseSync,
): (tenant: TenantId, client: StoredClient, deleted: ClientVersion) => Obstacle | undefined {
  const select = database.prepare(`
    SELECT EXISTS (SELECT 1 FROM client_version WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3 AND version = ?4
        AND deleted_at IS NOT NULL),
      EXISTS (SELECT 1 FROM client WHERE tenant = ?1 AND client_id = ?2),
      EXISTS (SELECT 1 FROM client WHERE tenant = ?1 AND shared_digest = ?5),
      EXISTS (SELECT 1 FROM client WHERE tenant = ?1 AND entity_id = ?6)`);
  select.setReturnArrays(true);
  return (tenant, { client_id, shared_digest, entity_id }, { instance, version }) => {
    const row = select.get(tenant, client_id, instance, version, shared_digest, entity_id);
    const [kept, taken, identical, ofEntity] = row as unknown as readonly number[];
    if (kept !== 1) return 'absent';
    if (taken === 1) return 'client_id_taken';
    if (identical === 1) return 'identical_exists';
    return ofEntity === 1 ? 'entity_exists' : undefined;
  };
}
