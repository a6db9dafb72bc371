import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { GrantStore, StoredGrant } from '../../ports/grant-store.ts';
import type {
  ClientId,
  ClientInstance,
  Digest,
  GrantId,
  SessionId,
  TenantId,
} from '../../spec/identifiers.ts';
import { GRANT_LIST } from '../people-listings.ts';
import { accessTokenInsertion, tokenEnding } from './access-tokens.ts';
import { eventRecording } from './audit.ts';
import { journalling } from './journal.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';

type Row = readonly [
  GrantId,
  ClientId,
  ClientInstance,
  sub: string,
  authorization: string,
  created_at: number,
  expires_at: number | null,
  refresh_token_digest: Digest | null,
  refresh_token_expires_at: number | null,
  sid: SessionId | null,
];

const COLUMNS = `grant_id, client_id, client_instance, sub, authorization, created_at, expires_at,
  refresh_token_digest, refresh_token_expires_at, sid`;
/** Whether the client instance that the grant belongs to still exists. */
const LIVES = `EXISTS (
  SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1 AND client.client_id = granted.client_id
    AND client.instance = granted.client_instance)`;

export const grants: TenantNoun<GrantStore, 'find' | 'ofSubject' | 'list'> = {
  reads: {
    list: listing(GRANT_LIST),
    find: ({ lookUps }) => grantFinding(lookUps),
    ofSubject({ lookUps }) {
      const select = lookUps.prepare(`
        SELECT ${COLUMNS} FROM authorization_grant AS granted
        WHERE tenant = ?1 AND sub = ?2 AND ${LIVES} ORDER BY created_at, grant_id`);
      select.setReturnArrays(true);
      return (tenant, sub) => (select.all(tenant, sub) as unknown as readonly Row[]).map(storedGrant);
    },
  },
  writes: {
    create: grantInsertion,
    createInSession(database) {
      const session = database.prepare('SELECT 1 FROM session WHERE tenant = ? AND sid = ?');
      const insert = grantInsertion(database);
      return (tenant, grant, token) => {
        if (session.get(tenant, grant.sid) === undefined) return false;
        insert(tenant, grant, token);
        return true;
      };
    },
    refresh(database) {
      const rotate = database.prepare(`
        UPDATE authorization_grant SET refresh_token_digest = ?4, refresh_token_expires_at = ?5,
          expires_at = CASE WHEN ?3 IS NULL OR expires_at IS NULL THEN NULL ELSE max(expires_at, ?3) END
        WHERE tenant = ?1 AND grant_id = ?2`);
      const find = grantFinding(database);
      const issue = accessTokenInsertion(database);
      const end = grantEnding(database);
      const record = eventRecording(database);
      return (tenant, { grant_id, presented, next, expires_at, token, now, onReuse }) => {
        const refresh_token = find(tenant, grant_id)?.refresh_token ?? null;
        if (refresh_token === null) return 'absent';
        if (refresh_token.digest !== presented) {
          if (end(tenant, grant_id) && onReuse !== undefined) record(tenant, onReuse);
          return 'reused';
        }
        if (refresh_token.expires_at !== null && refresh_token.expires_at <= now) return 'absent';
        rotate.run(tenant, grant_id, expires_at, next.digest, next.expires_at);
        issue(tenant, token);
        return 'refreshed';
      };
    },
    end(database) {
      const end = grantEnding(database);
      const record = eventRecording(database);
      return (tenant, grant_id, event) => {
        const ended = end(tenant, grant_id);
        if (ended && event !== undefined) record(tenant, event);
        return ended;
      };
    },
    endAllOf: subjectGrantsEnding,
    sweepExpired: sweeping,
  },
};

function grantFinding(
  database: DatabaseSync,
): (tenant: TenantId, grant_id: GrantId) => StoredGrant | undefined {
  const find = database.prepare(`
    SELECT ${COLUMNS} FROM authorization_grant AS granted
    WHERE tenant = ?1 AND grant_id = ?2 AND ${LIVES}`);
  find.setReturnArrays(true);
  return (tenant, grant_id) => {
    const row = find.get(tenant, grant_id) as unknown as Row | undefined;
    return row === undefined ? undefined : storedGrant(row);
  };
}

function storedGrant(row: Row): StoredGrant {
  const [
    grant_id,
    client_id,
    client_instance,
    sub,
    authorization,
    created_at,
    expires_at,
    digest,
    refresh_expires_at,
    sid,
  ] = row;
  const refresh_token = digest === null ? null : { digest, expires_at: refresh_expires_at };
  return {
    grant_id,
    client_id,
    client_instance,
    sub,
    authorization,
    created_at,
    expires_at,
    refresh_token,
    ...(sid === null ? {} : { sid }),
  };
}

/** Stores a grant with its first access token. */
export function grantInsertion(
  database: DatabaseSync,
): (tenant: TenantId, grant: StoredGrant, token: StoredAccessToken) => void {
  const insert = database.prepare(`
    INSERT INTO authorization_grant (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // If its client was deleted a moment ago, the sweep must learn that there is a new orphan.
  const noteOrphan = database.prepare(`
    INSERT INTO client_with_orphans (tenant, client_id, instance) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3)
    ON CONFLICT DO NOTHING`);
  const issue = accessTokenInsertion(database);
  return (tenant, grant, token) => {
    const { grant_id, client_id, client_instance, sub, authorization, created_at, expires_at } = grant;
    const { digest = null, expires_at: until = null } = grant.refresh_token ?? {};
    const client = [client_id, client_instance] as const;
    const refresh = [digest, until, grant.sid ?? null] as const;
    insert.run(tenant, grant_id, ...client, sub, authorization, created_at, expires_at, ...refresh);
    noteOrphan.run(tenant, ...client);
    issue(tenant, token);
  };
}

type GrantEnd = Pick<StoredGrant, 'client_id' | 'sub'>;

/**
 * Removes a grant with its access tokens and what was exchanged from them, and journals its end and that of each token. Returns
 * whether there was a grant.
 */
export function grantEnding(database: DatabaseSync): (tenant: TenantId, grant_id: GrantId) => boolean {
  const remove = database.prepare(
    'DELETE FROM authorization_grant WHERE tenant = ? AND grant_id = ? RETURNING client_id, sub',
  );
  const removeTokens = database.prepare(
    'DELETE FROM access_token WHERE tenant = ? AND grant_id = ? RETURNING key, expires_at, client_id, sub',
  );
  const journal = journalling(database);
  const endToken = tokenEnding(database);
  return (tenant, grant_id) => {
    const grant = remove.get(tenant, grant_id) as GrantEnd | undefined;
    if (grant === undefined) return false;
    journal(tenant, { kind: 'grant-ended', grant_id, ...grant });
    for (const row of removeTokens.all(tenant, grant_id)) endToken(tenant, row);
    return true;
  };
}

/** Ends every grant of a subject; returns their number. */
export function subjectGrantsEnding(database: DatabaseSync): (tenant: TenantId, sub: string) => number {
  const ofSubject = database.prepare('SELECT grant_id FROM authorization_grant WHERE tenant = ? AND sub = ?');
  const end = grantEnding(database);
  return (tenant, sub) => {
    const rows = ofSubject.all(tenant, sub);
    for (const { grant_id } of rows) end(tenant, grant_id as GrantId);
    return rows.length;
  };
}

/** Ends the grants that are bound to a session. */
export function sessionGrantsEnding(database: DatabaseSync): (tenant: TenantId, sid: SessionId) => void {
  const ofSession = database.prepare('SELECT grant_id FROM authorization_grant WHERE tenant = ? AND sid = ?');
  const end = grantEnding(database);
  return (tenant, sid) => {
    for (const { grant_id } of ofSession.all(tenant, sid)) end(tenant, grant_id as GrantId);
  };
}

/** Sweeps without journalling: no read finds the grants that it removes. */
function sweeping(database: DatabaseSync): (tenant: TenantId, now: number, limit: number) => number {
  const sweepExpired = database.prepare(`
    DELETE FROM authorization_grant WHERE tenant = ?1 AND grant_id IN
      (SELECT grant_id FROM authorization_grant
       WHERE tenant = ?1 AND expires_at < ?2 ORDER BY expires_at LIMIT ?3)`);
  const someGone = database.prepare(
    'SELECT client_id, instance FROM client_with_orphans WHERE tenant = ? LIMIT 1',
  );
  const sweepOrphans = database.prepare(`
    DELETE FROM authorization_grant WHERE tenant = ?1 AND grant_id IN
      (SELECT grant_id FROM authorization_grant
       WHERE tenant = ?1 AND client_id = ?2 AND client_instance = ?3 LIMIT ?4)`);
  const forget = database.prepare(
    'DELETE FROM client_with_orphans WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  return (tenant, now, limit) => {
    const expired = Number(sweepExpired.run(tenant, now, limit).changes);
    let removed = 0;
    while (removed < limit) {
      const gone = someGone.get(tenant);
      if (gone === undefined) break;
      const client = [tenant, String(gone['client_id']), String(gone['instance'])] as const;
      const orphans = Number(sweepOrphans.run(...client, limit - removed).changes);
      if (orphans < limit - removed) forget.run(...client);
      removed += Math.max(orphans, 1);
    }
    return Math.max(expired, removed);
  };
}
