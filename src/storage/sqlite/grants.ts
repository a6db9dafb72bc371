import type { DatabaseSync } from 'node:sqlite';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { AuditEvent } from '../../ports/audit-log.ts';
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
import { type Cause, causeOf } from '../signal-facts.ts';
import { accessTokenInsertion, tokenEnding } from './access-tokens.ts';
import { eventRecording } from './audit.ts';
import { journalling } from './journal.ts';
import { listing } from './listing.ts';
import type { TenantNoun } from './noun.ts';
import { signalling } from './signals.ts';

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
    find({ lookUps, snapshot }) {
      const find = grantFinding(lookUps);
      return (tenant, grant_id) => {
        snapshot();
        return find(tenant, grant_id);
      };
    },
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
      // One statement in the usual case: a call into SQLite costs about as much as a look-up.
      const rotate = database.prepare(`
        UPDATE authorization_grant AS granted SET refresh_token_digest = ?5, refresh_token_expires_at = ?6,
          expires_at = CASE WHEN ?4 IS NULL OR expires_at IS NULL THEN NULL ELSE max(expires_at, ?4) END
        WHERE tenant = ?1 AND grant_id = ?2 AND refresh_token_digest = ?3
          AND (refresh_token_expires_at IS NULL OR refresh_token_expires_at > ?7) AND ${LIVES}`);
      const find = grantFinding(database);
      const issue = accessTokenInsertion(database);
      const end = toldGrantEnding(database);
      return (tenant, { grant_id, presented, next, expires_at, token, now, onReuse }) => {
        const values = [presented, expires_at, next.digest, next.expires_at, now] as const;
        if (rotate.run(tenant, grant_id, ...values).changes === 1) {
          issue(tenant, token);
          return 'refreshed';
        }
        const refresh_token = find(tenant, grant_id)?.refresh_token ?? null;
        if (refresh_token === null || refresh_token.digest === presented) return 'absent';
        end(tenant, grant_id, onReuse);
        return 'reused';
      };
    },
    end: toldGrantEnding,
    endAllOf(database) {
      const end = subjectGrantsEnding(database);
      return (tenant, sub) => end(tenant, sub, causeOf(undefined, 'grant.end'));
    },
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
function grantInsertion(
  database: DatabaseSync,
): (tenant: TenantId, grant: StoredGrant, token: StoredAccessToken) => void {
  const insert = grantOfLiveClient(database);
  // If its client was deleted a moment ago, the sweep must learn that there is a new orphan.
  const noteOrphan = database.prepare(`
    INSERT INTO client_with_orphans (tenant, client_id, instance) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
      SELECT 1 FROM client INDEXED BY client_instance WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3)
    ON CONFLICT DO NOTHING`);
  return (tenant, grant, token) => {
    insert(tenant, grant, token);
    noteOrphan.run(tenant, grant.client_id, grant.client_instance);
  };
}

/** Stores a grant with its first access token, in a transaction that has found its client. */
export function grantOfLiveClient(
  database: DatabaseSync,
): (tenant: TenantId, grant: StoredGrant, token: StoredAccessToken) => void {
  const insert = database.prepare(`
    INSERT INTO authorization_grant (tenant, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const issue = accessTokenInsertion(database);
  return (tenant, grant, token) => {
    const { grant_id, client_id, client_instance, sub, authorization, created_at, expires_at } = grant;
    const { digest = null, expires_at: until = null } = grant.refresh_token ?? {};
    const client = [client_id, client_instance] as const;
    const refresh = [digest, until, grant.sid ?? null] as const;
    insert.run(tenant, grant_id, ...client, sub, authorization, created_at, expires_at, ...refresh);
    issue(tenant, token);
  };
}

/** A grant that has ended, as far as its client learns of it. */
type EndedGrant = Pick<StoredGrant, 'client_id' | 'sub'> & { readonly instance: ClientInstance };

/**
 * Removes a grant with its access tokens and what was exchanged from them, and journals its end and that of each token. Returns
 * undefined if there was no grant.
 */
function grantEnding(
  database: DatabaseSync,
): (tenant: TenantId, grant_id: GrantId) => EndedGrant | undefined {
  const remove = database.prepare(`
    DELETE FROM authorization_grant WHERE tenant = ? AND grant_id = ?
    RETURNING client_id, client_instance AS instance, sub`);
  const removeTokens = database.prepare(
    'DELETE FROM access_token WHERE tenant = ? AND grant_id = ? RETURNING key, expires_at, client_id, sub',
  );
  const journal = journalling(database);
  const endToken = tokenEnding(database);
  return (tenant, grant_id) => {
    const ended = remove.get(tenant, grant_id) as EndedGrant | undefined;
    if (ended === undefined) return undefined;
    const { client_id, sub } = ended;
    journal(tenant, { kind: 'grant-ended', grant_id, client_id, sub });
    for (const row of removeTokens.all(tenant, grant_id)) endToken(tenant, row);
    return ended;
  };
}

/** Ends grants, and tells each client of them once for each subject. Returns how many there were. */
export function grantsEnding(
  database: DatabaseSync,
): (tenant: TenantId, grants: readonly GrantId[], cause: Cause) => number {
  const end = grantEnding(database);
  const signal = signalling(database);
  return (tenant, grants, cause) => {
    const ended = grants.flatMap((grant_id) => end(tenant, grant_id) ?? []);
    const clients = new Map(
      ended.map((grant) => [`${grant.client_id} ${grant.instance} ${grant.sub}`, grant]),
    );
    for (const grant of clients.values())
      signal.ofClient(tenant, grant, { kind: 'session-revoked', sub: grant.sub }, cause);
    return ended.length;
  };
}

/** Ends a grant, and records the event. Without an event the grant has served no client yet, and none is told. */
export function toldGrantEnding(
  database: DatabaseSync,
): (tenant: TenantId, grant_id: GrantId, event?: AuditEvent) => boolean {
  const end = grantEnding(database);
  const endTold = grantsEnding(database);
  const record = eventRecording(database);
  return (tenant, grant_id, event) => {
    if (event === undefined) return end(tenant, grant_id) !== undefined;
    const ended = endTold(tenant, [grant_id], causeOf(event, 'grant.end')) === 1;
    if (ended) record(tenant, event);
    return ended;
  };
}

/** Ends every grant of a subject; returns their number. */
export function subjectGrantsEnding(
  database: DatabaseSync,
): (tenant: TenantId, sub: string, cause: Cause) => number {
  const ofSubject = database.prepare('SELECT grant_id FROM authorization_grant WHERE tenant = ? AND sub = ?');
  const end = grantsEnding(database);
  return (tenant, sub, cause) =>
    end(
      tenant,
      ofSubject.all(tenant, sub).map(({ grant_id }) => grant_id as GrantId),
      cause,
    );
}

/** Ends the grants that are bound to a session. Their clients learn of the end of the session. */
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
