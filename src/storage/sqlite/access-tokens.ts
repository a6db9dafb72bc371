import type { DatabaseSync } from 'node:sqlite';
import type { AccessTokenStore, StoredAccessToken } from '../../ports/access-token-store.ts';
import type { AccessTokenKey, ClientId, ClientInstance, GrantId, TenantId } from '../../spec/identifiers.ts';
import { tokenEnd } from '../change-rows.ts';
import { ACCESS_TOKEN_LIST, originsLive, originsOf } from '../people-listings.ts';
import { INITIAL_ACCESS_TOKEN, INITIAL_LABEL } from '../rows.ts';
import { eventRecording } from './audit.ts';
import { journalling } from './journal.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';

/**
 * Holds for a token whose client, and those of its origins, exist. A deleted client's tokens stay and are not found, so that deleting
 * a client costs the same for any number of tokens. Without the hint SQLite would read the large row of the client; the index holds
 * everything the condition needs.
 */
const CLIENTS_LIVE = `(client_instance IS NULL OR EXISTS (
  SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1
    AND client.client_id = token.client_id AND client.instance = token.client_instance)) AND ${originsLive('token', '?1')}`;

type Row = readonly [number, ClientId, ClientInstance | null, GrantId | null, string, string | null];

export const accessTokens: TenantNoun<AccessTokenStore, 'find' | 'findInitial' | 'pageInitial' | 'list'> = {
  reads: {
    list: listing(ACCESS_TOKEN_LIST),
    find({ lookUps, snapshot }) {
      const find = lookUps.prepare(`
        SELECT expires_at, client_id, client_instance, grant_id, introspection, ${originsOf('token', '?1')}
        FROM access_token AS token
        WHERE tenant = ?1 AND key = ?2 AND ${CLIENTS_LIVE}`);
      // This is the hottest read, and an array costs less than an object with named members.
      find.setReturnArrays(true);
      return (tenant, key) => {
        snapshot();
        const row = find.get(tenant, key) as unknown as Row | undefined;
        if (row === undefined) return undefined;
        const [expires_at, client_id, client_instance, grant_id, introspection, via] = row;
        const token = { key, expires_at, client_id, client_instance, grant_id, introspection };
        return via === null ? token : { ...token, via };
      };
    },
    findInitial({ lookUps }) {
      const find = lookUps.prepare(`
        SELECT ${INITIAL_LABEL.columns} FROM initial_access_token
        WHERE tenant = ? AND key = ? AND used_at IS NULL AND revoked_at IS NULL`);
      return (tenant, key) => INITIAL_LABEL.readOptional(find.get(tenant, key));
    },
    pageInitial({ lookUps }) {
      const page = lookUps.prepare(`
        SELECT ${INITIAL_ACCESS_TOKEN.columns} FROM initial_access_token
        WHERE tenant = ? AND key > ? ORDER BY key LIMIT ?`);
      return (tenant, after, limit) => page.all(tenant, after ?? '', limit).map(INITIAL_ACCESS_TOKEN.read);
    },
  },
  writes: {
    issue(database) {
      const insert = accessTokenInsertion(database);
      return (tenant, token) => {
        if (token.grant_id !== null) throw new Error('a token of a grant is issued with its grant');
        insert(tenant, token);
      };
    },
    exchange(database) {
      const insert = accessTokenInsertion(database);
      const stands = database.prepare(
        `SELECT 1 FROM access_token AS token WHERE tenant = ?1 AND key = ?2 AND ${CLIENTS_LIVE}`,
      );
      const mark = database.prepare('UPDATE access_token SET exchanged = 1 WHERE tenant = ? AND key = ?');
      const descend = database.prepare(`
        INSERT INTO token_origin (tenant, key, origin_key, client_id, client_instance, expires_at)
        SELECT tenant, ?2, origin_key, client_id, client_instance, ?4 FROM token_origin WHERE tenant = ?1 AND key = ?3
        UNION SELECT tenant, ?2, key, client_id, client_instance, ?4 FROM access_token WHERE tenant = ?1 AND key = ?3
        ON CONFLICT DO NOTHING`);
      const record = eventRecording(database);
      return (tenant, token, origins, event) => {
        if (origins.some((origin) => stands.get(tenant, origin) === undefined)) return false;
        insert(tenant, token);
        mark.run(tenant, token.key);
        for (const origin of origins) descend.run(tenant, token.key, origin, token.expires_at);
        record(tenant, event);
        return true;
      };
    },
    issueInitial(database) {
      const insert = accessTokenInsertion(database);
      const insertLabel = database.prepare(`
        INSERT INTO initial_access_token (tenant, key, expires_at, ${INITIAL_LABEL.columns})
        VALUES (?, ?, ?, ?, ?, ?, ?)`);
      const record = eventRecording(database);
      return (tenant, token, label, event) => {
        insert(tenant, token);
        insertLabel.run(tenant, token.key, token.expires_at, ...INITIAL_LABEL.write(label));
        record(tenant, event);
      };
    },
    revokeInitial(database) {
      const revoke = initialRevocation(database);
      const remove = accessTokenRemoval(database);
      const record = eventRecording(database);
      return (tenant, key, event) => {
        if (!revoke(tenant, key, event.at)) return false;
        remove(tenant, key);
        record(tenant, event);
        return true;
      };
    },
    revoke(database) {
      const revoke = initialRevocation(database);
      const remove = accessTokenRemoval(database);
      const record = eventRecording(database);
      return (tenant, key, now, event) => {
        revoke(tenant, key, now);
        if (!remove(tenant, key)) return false;
        if (event !== undefined) record(tenant, event);
        return true;
      };
    },
    sweepExpired(database) {
      const sweep = database.prepare(`
        DELETE FROM access_token WHERE tenant = ?1 AND key IN
          (SELECT key FROM access_token WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      const sweepOrigins = database.prepare(`
        DELETE FROM token_origin WHERE tenant = ?1 AND (key, origin_key) IN
          (SELECT key, origin_key FROM token_origin WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      // Used tokens stay: they tell from which token a client descends.
      const sweepInitial = database.prepare(`
        DELETE FROM initial_access_token WHERE tenant = ?1 AND key IN
          (SELECT key FROM initial_access_token
           WHERE tenant = ?1 AND used_at IS NULL AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
      return (tenant, now, limit) => {
        sweepInitial.run(tenant, now, limit);
        const origins = Number(sweepOrigins.run(tenant, now, limit).changes);
        return Math.max(origins, Number(sweep.run(tenant, now, limit).changes));
      };
    },
  },
};

/** Stores the record of a token inside the transaction that is open. */
export function accessTokenInsertion(
  database: DatabaseSync,
): (tenant: TenantId, token: StoredAccessToken) => void {
  const insert = database.prepare(`
    INSERT INTO access_token (tenant, key, expires_at, client_id, client_instance, grant_id, introspection, sub)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
  return (tenant, { key, expires_at, client_id, client_instance, grant_id, introspection, sub }) => {
    insert.run(tenant, key, expires_at, client_id, client_instance, grant_id, introspection, sub ?? null);
  };
}

/** Revokes an initial access token that is still good; returns whether it was. */
function initialRevocation(
  database: DatabaseSync,
): (tenant: TenantId, key: AccessTokenKey, at: number) => boolean {
  const revoke = database.prepare(`
    UPDATE initial_access_token SET revoked_at = ?3
    WHERE tenant = ?1 AND key = ?2 AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?3`);
  return (tenant, key, at) => revoke.run(tenant, key, at).changes === 1;
}

/** Removes the record of a token with all that was exchanged from it, and journals each end; returns whether there was one. */
export function accessTokenRemoval(
  database: DatabaseSync,
): (tenant: TenantId, key: AccessTokenKey) => boolean {
  const remove = database.prepare(
    'DELETE FROM access_token WHERE tenant = ? AND key = ? RETURNING key, expires_at, client_id, sub',
  );
  const end = tokenEnding(database);
  return (tenant, key) => {
    const row = remove.get(tenant, key);
    if (row === undefined) return false;
    end(tenant, row);
    return true;
  };
}

/** Journals the end of a token that was removed. Removes all that was exchanged from it, and journals that too. */
export function tokenEnding(
  database: DatabaseSync,
): (tenant: TenantId, removed: Readonly<Record<string, unknown>>) => void {
  const removeExchanged = database.prepare(`
    DELETE FROM access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM token_origin WHERE tenant = ?1 AND origin_key = ?2) RETURNING key, expires_at, client_id, sub`);
  const journal = journalling(database);
  return (tenant, removed) => {
    const end = tokenEnd(removed);
    journal(tenant, end);
    for (const row of removeExchanged.all(tenant, end.key)) journal(tenant, tokenEnd(row));
  };
}
