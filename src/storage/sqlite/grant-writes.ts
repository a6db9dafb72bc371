import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { AccessTokenKey, GrantId, SessionId, TenantId } from '../../spec/identifiers.ts';
import { accessTokenInsertion } from './access-token-writes.ts';
import { eventRecording } from './audit-writes.ts';
import { grantReads } from './grant-reads.ts';
import { journalling } from './journal-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

type GrantWrites = Pick<
  WriteHandlers,
  'createGrant' | 'createGrantInSession' | 'refreshGrant' | 'endGrant' | 'endGrantsOf' | 'sweepGrants'
>;

export function grantWrites(database: DatabaseSync): GrantWrites {
  const create = grantInsertion(database);
  const rotate = database.prepare(`
    UPDATE authorization_grant SET refresh_token_digest = ?4, refresh_token_expires_at = ?5,
      expires_at = CASE WHEN ?3 IS NULL OR expires_at IS NULL THEN NULL ELSE max(expires_at, ?3) END
    WHERE tenant = ?1 AND grant_id = ?2`);
  const session = database.prepare('SELECT 1 FROM session WHERE tenant = ? AND sid = ?');
  const find = grantReads(database);
  const issue = accessTokenInsertion(database);
  const end = grantEnding(database);
  const endOfSubject = subjectGrantsEnding(database);
  const record = eventRecording(database);

  return {
    createGrant({ tenant, grant, token }) {
      create(tenant, grant, token);
      return undefined;
    },
    createGrantInSession({ tenant, grant, token }) {
      if (session.get(tenant, grant.sid) === undefined) return false;
      create(tenant, grant, token);
      return true;
    },
    refreshGrant({ tenant, refreshing }) {
      const { grant_id, presented, next, expires_at, token, now, onReuse } = refreshing;
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
    },
    endGrant({ tenant, grant_id, event }) {
      const ended = end(tenant, grant_id);
      if (ended && event !== undefined) record(tenant, event);
      return ended;
    },
    endGrantsOf: ({ tenant, sub }) => endOfSubject(tenant, sub),
    sweepGrants: sweeping(database),
  };
}

/** Stores a grant with its first access token. */
export function grantInsertion(
  database: DatabaseSync,
): (tenant: TenantId, grant: StoredGrant, token: StoredAccessToken) => void {
  const insert = database.prepare(`
    INSERT INTO authorization_grant (tenant, grant_id, client_id, client_instance, sub, authorization, created_at,
      expires_at, refresh_token_digest, refresh_token_expires_at, sid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // Its client may have been deleted meanwhile, and whoever sweeps must hear of what was left behind since.
  const noteOrphan = database.prepare(`
    INSERT INTO client_with_orphans (tenant, client_id, instance) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3)
    ON CONFLICT DO NOTHING`);
  const issue = accessTokenInsertion(database);
  return (tenant, grant, token) => {
    const { grant_id, client_id, client_instance, sub, authorization, created_at, expires_at } = grant;
    const { digest = null, expires_at: until = null } = grant.refresh_token ?? {};
    const whose = [tenant, grant_id, client_id, client_instance] as const;
    insert.run(...whose, sub, authorization, created_at, expires_at, digest, until, grant.sid ?? null);
    noteOrphan.run(tenant, client_id, client_instance);
    issue(tenant, token);
  };
}

/** Removes a grant and what descends from it; whoever remembers one of its tokens is told. */
export function grantEnding(database: DatabaseSync): (tenant: TenantId, grant_id: GrantId) => boolean {
  const remove = database.prepare('DELETE FROM authorization_grant WHERE tenant = ? AND grant_id = ?');
  const removeTokens = database.prepare(
    'DELETE FROM access_token WHERE tenant = ? AND grant_id = ? RETURNING key',
  );
  const journal = journalling(database);
  return (tenant, grant_id) => {
    if (remove.run(tenant, grant_id).changes === 0) return false;
    for (const { key } of removeTokens.all(tenant, grant_id)) {
      journal(tenant, { kind: 'access-token-ended', key: key as AccessTokenKey });
    }
    return true;
  };
}

/** Ends every grant of a subject as a part of the act that is under way; answers how many there were. */
export function subjectGrantsEnding(database: DatabaseSync): (tenant: TenantId, sub: string) => number {
  const ofSubject = database.prepare('SELECT grant_id FROM authorization_grant WHERE tenant = ? AND sub = ?');
  const end = grantEnding(database);
  return (tenant, sub) => {
    const rows = ofSubject.all(tenant, sub);
    for (const { grant_id } of rows) end(tenant, grant_id as GrantId);
    return rows.length;
  };
}

/** Ends the grants that end with a session, as a part of the act that ends it. */
export function sessionGrantsEnding(database: DatabaseSync): (tenant: TenantId, sid: SessionId) => void {
  const ofSession = database.prepare('SELECT grant_id FROM authorization_grant WHERE tenant = ? AND sid = ?');
  const end = grantEnding(database);
  return (tenant, sid) => {
    for (const { grant_id } of ofSession.all(tenant, sid)) end(tenant, grant_id as GrantId);
  };
}

/** What is swept is not found any more anyhow: the journal need not tell of it. */
function sweeping(database: DatabaseSync): WriteHandlers['sweepGrants'] {
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
  return ({ tenant, now, limit }) => {
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
