import type { SessionClient, StoredSession } from '../../ports/session-store.ts';
import type { SessionId, TenantId } from '../../spec/identifiers.ts';
import type { Reads } from '../tenant-storage.ts';
import type { Transaction } from './act.ts';
import type { GatheredReads } from './gathered-reads.ts';
import { type Row, statement } from './statement.ts';

export const SESSION_COLUMNS =
  'key, sid, sub, auth_time, acr, amr, created_at, last_seen_at, expires_at, ends_at';

const FIND = statement(
  'session_find',
  `SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = :tenant AND key = ANY(:keys)`,
);
const FIND_BY_SID = statement(
  'session_find_by_sid',
  `SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = :tenant AND sid = :sid`,
);
const OF_SUBJECT = statement(
  'session_of_subject',
  `SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = :tenant AND sub = :sub ORDER BY last_seen_at DESC, key`,
);
const CLIENTS = statement(
  'session_clients',
  `SELECT client_id, instance, first_used_at, last_used_at, issuer FROM session_client
   WHERE tenant = :tenant AND sid = :sid ORDER BY first_used_at, client_id, instance`,
);

export const storedSession = (row: Row): StoredSession =>
  ({ ...row, amr: JSON.parse(String(row['amr'])) as string[] }) as unknown as StoredSession;

/** Without the member where the client took part under our main name. */
const sessionClient = ({ issuer, ...row }: Row): SessionClient =>
  ({ ...row, ...(issuer === null ? {} : { issuer }) }) as unknown as SessionClient;

const one = (row: Row | undefined): StoredSession | undefined =>
  row === undefined ? undefined : storedSession(row);

export function sessionReads(reads: GatheredReads): Reads['sessions'] {
  return {
    find: async (tenant, key) => one(await reads.lookUp(tenant, FIND, key)),
    findBySid: async (tenant, sid) => one((await reads.rows(tenant, FIND_BY_SID, { sid }))[0]),
    ofSubject: async (tenant, sub) => (await reads.rows(tenant, OF_SUBJECT, { sub })).map(storedSession),
    clients: async (tenant, sid) => (await reads.rows(tenant, CLIENTS, { sid })).map(sessionClient),
  };
}

/** The clients that took part, as a part of the act that is under way. */
export async function clientsOf(
  transaction: Transaction,
  tenant: TenantId,
  sid: SessionId,
): Promise<readonly SessionClient[]> {
  const { rows } = await transaction.ask(CLIENTS, { tenant, sid });
  return rows.map(sessionClient);
}
