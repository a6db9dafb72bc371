import type { DatabaseSync } from 'node:sqlite';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { KeyId, TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import { journalling } from './journal-writes.ts';
import { serverKeyRows } from './server-key-rows.ts';
import type { WriteHandlers } from './write-handlers.ts';

type ServerKeyWrites = Pick<
  WriteHandlers,
  | 'addFirstServerKeys'
  | 'addServerKey'
  | 'succeedServerKey'
  | 'advanceServerKey'
  | 'removeServerKey'
  | 'resealServerKey'
>;

export function serverKeyWrites(database: DatabaseSync): ServerKeyWrites {
  return { ...additions(database), ...takingOver(database), ...ends(database) };
}

type Insertion = (tenant: TenantId, key: StoredServerKey) => boolean;

/** Answers whether the `kid` was new; one of a removed key is not. */
function insertion(database: DatabaseSync): Insertion {
  const insert = database.prepare(`
    INSERT INTO server_key (tenant, kid, position, use, created_at, active_at, retired_at, succeeds, public_jwk, sealed_jwk)
    SELECT ?1, ?2, 1 + coalesce(max(position), -1), ?3, ?4, ?5, ?6, ?7, ?8, ?9 FROM server_key WHERE tenant = ?1
    ON CONFLICT DO NOTHING`);
  return (tenant, { kid, use, created_at, active_at, retired_at, succeeds, public_jwk, sealed_jwk }) => {
    const times = [created_at, active_at, retired_at] as const;
    return insert.run(tenant, kid, use, ...times, succeeds, public_jwk, sealed_jwk).changes === 1;
  };
}

function additions(database: DatabaseSync): Pick<ServerKeyWrites, 'addFirstServerKeys' | 'addServerKey'> {
  const all = serverKeyRows(database);
  const insert = insertion(database);
  const journal = journalling(database);
  const record = eventRecording(database);
  return {
    addFirstServerKeys({ tenant, keys, use }) {
      const present = all(tenant);
      if (present.some((key) => use === undefined || key.use === use)) return present;
      for (const key of keys) insert(tenant, key);
      if (use !== undefined) journal(tenant, { kind: 'server-keys-changed' });
      return all(tenant);
    },
    addServerKey({ tenant, key, event }) {
      if (!insert(tenant, key)) return false;
      journal(tenant, { kind: 'server-keys-changed' });
      record(tenant, event);
      return true;
    },
  };
}

function takingOver(database: DatabaseSync): Pick<ServerKeyWrites, 'succeedServerKey' | 'advanceServerKey'> {
  const insert = insertion(database);
  const journal = journalling(database);
  const record = eventRecording(database);
  const mayRetire = database.prepare(`
    SELECT 1 FROM server_key WHERE tenant = ? AND kid = ? AND removed_at IS NULL AND retired_at IS NULL`);
  const retire = database.prepare('UPDATE server_key SET retired_at = ? WHERE tenant = ? AND kid = ?');
  const advance = database.prepare(`
    UPDATE server_key SET active_at = ?1 WHERE tenant = ?2 AND kid = ?3 AND removed_at IS NULL AND active_at > ?1
    RETURNING succeeds`);
  return {
    succeedServerKey({ tenant, successor, event }) {
      const { succeeds, active_at } = successor;
      if (mayRetire.get(tenant, succeeds) === undefined || !insert(tenant, successor)) return false;
      retire.run(active_at, tenant, succeeds);
      journal(tenant, { kind: 'server-keys-changed' });
      record(tenant, event);
      return true;
    },
    advanceServerKey({ tenant, kid, at, event }) {
      const advanced = advance.get(at, tenant, kid);
      if (advanced === undefined) return false;
      retire.run(at, tenant, advanced['succeeds'] ?? null);
      journal(tenant, { kind: 'server-keys-changed' });
      record(tenant, event);
      return true;
    },
  };
}

interface Ending {
  readonly active_at: number;
  readonly retired_at: number | null;
  readonly succeeds: KeyId | null;
}

function ends(database: DatabaseSync): Pick<ServerKeyWrites, 'removeServerKey' | 'resealServerKey'> {
  const insert = insertion(database);
  const journal = journalling(database);
  const record = eventRecording(database);
  const find = database.prepare(`
    SELECT active_at, retired_at, succeeds FROM server_key WHERE tenant = ? AND kid = ? AND removed_at IS NULL`);
  const remove = database.prepare(`
    UPDATE server_key SET removed_at = ?, reason = ?, sealed_jwk = NULL WHERE tenant = ? AND kid = ?`);
  const goOn = database.prepare('UPDATE server_key SET retired_at = NULL WHERE tenant = ? AND kid = ?');
  const inherit = database.prepare('UPDATE server_key SET succeeds = ? WHERE tenant = ? AND succeeds = ?');
  const reseal = database.prepare('UPDATE server_key SET sealed_jwk = ? WHERE tenant = ? AND kid = ?');
  return {
    removeServerKey({ tenant, kid, removal, event }) {
      const { at, reason, replacement } = removal;
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
      if (announced) goOn.run(tenant, succeeds);
      remove.run(at, reason, tenant, kid);
      journal(tenant, { kind: 'server-keys-changed' });
      record(tenant, event);
      return true;
    },
    resealServerKey({ tenant, kid, sealed }) {
      if (reseal.run(sealed, tenant, kid).changes !== 1)
        throw new Error('the server key to be resealed does not exist');
      return undefined;
    },
  };
}
