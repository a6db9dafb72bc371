import type { DatabaseSync } from 'node:sqlite';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { ServerKeyStore, StoredServerKey } from '../../ports/server-key-store.ts';
import type { KeyId, TenantId } from '../../spec/identifiers.ts';
import { REMOVED_SERVER_KEY, SERVER_KEY } from '../rows.ts';
import { eventRecording } from './audit.ts';
import { journalling } from './journal.ts';
import type { TenantNoun } from './noun.ts';

const RETIRE = 'UPDATE server_key SET retired_at = ? WHERE tenant = ? AND kid = ?';

export const serverKeys: TenantNoun<ServerKeyStore, 'all' | 'removed'> = {
  reads: {
    all: ({ lookUps }) => keyListing(lookUps),
    removed({ lookUps }) {
      const select = lookUps.prepare(`
        SELECT ${REMOVED_SERVER_KEY.columns} FROM server_key
        WHERE tenant = ? AND removed_at IS NOT NULL ORDER BY removed_at, position`);
      return (tenant) => select.all(tenant).map(REMOVED_SERVER_KEY.read);
    },
  },
  writes: {
    addFirst(database) {
      const all = keyListing(database);
      const insert = insertion(database);
      return (tenant, keys) => {
        const present = all(tenant);
        if (present.length > 0) return present;
        for (const key of keys) insert(tenant, key);
        return all(tenant);
      };
    },
    addFirstOf(database) {
      const all = keyListing(database);
      const insert = insertion(database);
      const journal = journalling(database);
      return (tenant, use, keys) => {
        const present = all(tenant);
        if (present.some((key) => key.use === use)) return present;
        for (const key of keys) insert(tenant, key);
        journal(tenant, { kind: 'server-keys-changed' });
        return all(tenant);
      };
    },
    add(database) {
      const insert = insertion(database);
      const noteChange = changeNoting(database);
      return (tenant, key, event) => {
        if (!insert(tenant, key)) return false;
        noteChange(tenant, event);
        return true;
      };
    },
    succeed(database) {
      const mayRetire = database.prepare(`
        SELECT 1 FROM server_key WHERE tenant = ? AND kid = ? AND removed_at IS NULL AND retired_at IS NULL`);
      const insert = insertion(database);
      const retire = database.prepare(RETIRE);
      const noteChange = changeNoting(database);
      return (tenant, successor, event) => {
        const { succeeds, active_at } = successor;
        if (mayRetire.get(tenant, succeeds) === undefined || !insert(tenant, successor)) return false;
        retire.run(active_at, tenant, succeeds);
        noteChange(tenant, event);
        return true;
      };
    },
    advance(database) {
      const advance = database.prepare(`
        UPDATE server_key SET active_at = ?1
        WHERE tenant = ?2 AND kid = ?3 AND removed_at IS NULL AND active_at > ?1 RETURNING succeeds`);
      const retire = database.prepare(RETIRE);
      const noteChange = changeNoting(database);
      return (tenant, kid, at, event) => {
        const advanced = advance.get(at, tenant, kid);
        if (advanced === undefined) return false;
        retire.run(at, tenant, advanced['succeeds'] ?? null);
        noteChange(tenant, event);
        return true;
      };
    },
    remove(database) {
      const find = database.prepare(`
        SELECT active_at, retired_at, succeeds FROM server_key
        WHERE tenant = ? AND kid = ? AND removed_at IS NULL`);
      const remove = database.prepare(`
        UPDATE server_key SET removed_at = ?, reason = ?, sealed_jwk = NULL WHERE tenant = ? AND kid = ?`);
      const retire = database.prepare(RETIRE);
      const inherit = database.prepare(
        'UPDATE server_key SET succeeds = ? WHERE tenant = ? AND succeeds = ?',
      );
      const insert = insertion(database);
      const noteChange = changeNoting(database);
      return (tenant, kid, { at, reason, replacement }, event) => {
        const ending = find.get(tenant, kid) as unknown as Ending | undefined;
        if (ending === undefined) return false;
        const { active_at, retired_at, succeeds } = ending;
        const announced = active_at > at;
        if (!announced && (retired_at === null || retired_at > at)) {
          if (replacement === undefined) return false;
          inherit.run(replacement.kid, tenant, kid);
          const heir = { ...replacement, active_at: at, retired_at, succeeds: kid };
          if (!insert(tenant, heir)) throw new Error('the replacement of a server key must be a new key');
        }
        if (announced) retire.run(null, tenant, succeeds);
        remove.run(at, reason, tenant, kid);
        noteChange(tenant, event, kid);
        return true;
      };
    },
    reseal(database) {
      const reseal = database.prepare('UPDATE server_key SET sealed_jwk = ? WHERE tenant = ? AND kid = ?');
      return (tenant, kid, sealed) => {
        if (reseal.run(sealed, tenant, kid).changes !== 1)
          throw new Error('the server key to be resealed does not exist');
      };
    },
  },
};

/** Lists the keys that are not removed, in the order in which they were added. */
function keyListing(database: DatabaseSync): (tenant: TenantId) => readonly StoredServerKey[] {
  const select = database.prepare(`
    SELECT ${SERVER_KEY.columns} FROM server_key WHERE tenant = ? AND removed_at IS NULL ORDER BY position`);
  return (tenant) => select.all(tenant).map(SERVER_KEY.read);
}

/** Adds a key; returns false if the `kid` is known, even from a removed key. */
function insertion(database: DatabaseSync): (tenant: TenantId, key: StoredServerKey) => boolean {
  const insert = database.prepare(`
    INSERT INTO server_key (tenant, kid, position, use, created_at, active_at, retired_at, succeeds, public_jwk, sealed_jwk)
    SELECT ?1, ?2, 1 + coalesce(max(position), -1), ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM server_key WHERE tenant = ?1
    ON CONFLICT DO NOTHING`);
  return (tenant, { kid, use, created_at, active_at, retired_at, succeeds, public_jwk, sealed_jwk }) => {
    const times = [created_at, active_at, retired_at] as const;
    return insert.run(tenant, kid, use, ...times, succeeds, public_jwk, sealed_jwk).changes === 1;
  };
}

/** Journals that the keys changed, and records why. */
function changeNoting(
  database: DatabaseSync,
): (tenant: TenantId, event: AuditEvent, removed?: KeyId) => void {
  const journal = journalling(database);
  const record = eventRecording(database);
  return (tenant, event, removed) => {
    journal(tenant, { kind: 'server-keys-changed', ...(removed === undefined ? {} : { removed }) });
    record(tenant, event);
  };
}

interface Ending {
  readonly active_at: number;
  readonly retired_at: number | null;
  readonly succeeds: KeyId | null;
}
