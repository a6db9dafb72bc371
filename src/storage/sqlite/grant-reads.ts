import type { DatabaseSync } from 'node:sqlite';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type {
  ClientId,
  ClientInstance,
  Digest,
  GrantId,
  SessionId,
  TenantId,
} from '../../spec/identifiers.ts';

type GrantRow = readonly [
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

const COLUMNS = `client_id, client_instance, sub, authorization, created_at, expires_at, refresh_token_digest,
  refresh_token_expires_at, sid`;
const LIVES = `EXISTS (
  SELECT 1 FROM client INDEXED BY client_instance WHERE client.tenant = ?1 AND client.client_id = granted.client_id
    AND client.instance = granted.client_instance)`;

export function grantReads(
  database: DatabaseSync,
): (tenant: TenantId, grant_id: GrantId) => StoredGrant | undefined {
  const find = database.prepare(`
    SELECT ${COLUMNS} FROM authorization_grant AS granted
    WHERE tenant = ?1 AND grant_id = ?2 AND ${LIVES}`);
  find.setReturnArrays(true);
  return (tenant, grant_id) => {
    const row = find.get(tenant, grant_id) as unknown as GrantRow | undefined;
    return row === undefined ? undefined : storedGrant(grant_id, row);
  };
}

export function grantsOfSubject(
  database: DatabaseSync,
): (tenant: TenantId, sub: string) => readonly StoredGrant[] {
  const select = database.prepare(`
    SELECT grant_id, ${COLUMNS} FROM authorization_grant AS granted
    WHERE tenant = ?1 AND sub = ?2 AND ${LIVES} ORDER BY created_at, grant_id`);
  select.setReturnArrays(true);
  return (tenant, sub) => {
    const rows = select.all(tenant, sub) as unknown as readonly (readonly [GrantId, ...GrantRow])[];
    return rows.map(([grant_id, ...row]) => storedGrant(grant_id, row));
  };
}

function storedGrant(grant_id: GrantId, row: GrantRow): StoredGrant {
  const [
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
