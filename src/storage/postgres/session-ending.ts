import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import type { Digest, Subject, TenantId } from '../../spec/identifiers.ts';
import { SESSION, SESSION_CLIENT } from '../rows.ts';
import type { Cause } from '../signal-facts.ts';
import { endGrantsOfSession } from './grants.ts';
import { appendToJournal } from './journal.ts';
import { noteLogout } from './logout-notifications.ts';
import { one, type Transaction } from './noun.ts';
import { signalSession } from './signals.ts';
import { statement } from './statement.ts';

export const CLIENTS = statement(
  'session_clients',
  `SELECT ${SESSION_CLIENT.columns} FROM session_client
   WHERE tenant = :tenant AND sid = :sid ORDER BY first_used_at, client_id, instance`,
);

const SELECT = statement(
  'session_select',
  `SELECT ${SESSION.columns} FROM session WHERE tenant = :tenant AND key = :key`,
);
const OTHERS = statement(
  'session_others',
  `SELECT ${SESSION.columns} FROM session WHERE tenant = :tenant AND sub = :sub AND key <> :except
   ORDER BY last_seen_at DESC, created_at DESC, key OFFSET :keep`,
);
const REMOVE = statement('session_remove', 'DELETE FROM session WHERE tenant = :tenant AND key = :key');
const REMOVE_CLIENTS = statement(
  'session_remove_clients',
  'DELETE FROM session_client WHERE tenant = :tenant AND sid = :sid',
);

async function find(
  transaction: Transaction,
  tenant: TenantId,
  key: Digest,
): Promise<StoredSession | undefined> {
  return SESSION.readOptional(await one(transaction.query(SELECT, { tenant, key })));
}

async function remove(
  transaction: Transaction,
  tenant: TenantId,
  session: StoredSession,
): Promise<EndedSession> {
  const { key, sid } = session;
  const { rows } = await transaction.query(CLIENTS, { tenant, sid });
  await transaction.query(REMOVE, { tenant, key });
  await transaction.query(REMOVE_CLIENTS, { tenant, sid });
  return { ...session, clients: rows.map(SESSION_CLIENT.read) };
}

async function end(
  transaction: Transaction,
  tenant: TenantId,
  session: StoredSession,
  cause: Cause,
): Promise<EndedSession> {
  await noteLogout(transaction, tenant, session);
  await signalSession(transaction, tenant, session, cause);
  await endGrantsOfSession(transaction, tenant, session.sid);
  const { sid, sub } = session;
  await appendToJournal(transaction, tenant, { kind: 'session-ended', sid, sub });
  return await remove(transaction, tenant, session);
}

/** Ends a session before it expires, inside the transaction that is open. */
export async function endSession(
  transaction: Transaction,
  tenant: TenantId,
  key: Digest,
  cause: Cause,
): Promise<EndedSession | undefined> {
  const session = await find(transaction, tenant, key);
  return session === undefined ? undefined : await end(transaction, tenant, session, cause);
}

/** Ends all sessions of `sub` except `except` and the `keep` that were seen last. */
export async function endSessionsOf(
  transaction: Transaction,
  tenant: TenantId,
  sub: Subject,
  {
    except = '' as Digest,
    keep = 0,
    cause,
  }: { readonly except?: Digest | undefined; readonly keep?: number; readonly cause: Cause },
): Promise<readonly EndedSession[]> {
  const { rows } = await transaction.query(OTHERS, { tenant, sub, except, keep });
  const ended: EndedSession[] = [];
  for (const row of rows) ended.push(await end(transaction, tenant, SESSION.read(row), cause));
  return ended;
}

/** Ends a session. If it continues under another key, it is only removed, and no client is told. */
export async function replaceSession(
  transaction: Transaction,
  tenant: TenantId,
  key: Digest,
  { continues, cause }: { readonly continues: (session: StoredSession) => boolean; readonly cause: Cause },
): Promise<{ readonly session: EndedSession; readonly continues: boolean } | undefined> {
  const session = await find(transaction, tenant, key);
  if (session === undefined) return undefined;
  return continues(session)
    ? { session: await remove(transaction, tenant, session), continues: true }
    : { session: await end(transaction, tenant, session, cause), continues: false };
}
