import type { EndedSession, StoredSession } from '../../ports/session-store.ts';
import type { Digest, Subject, TenantId } from '../../spec/identifiers.ts';
import { one, type Transaction } from './act.ts';
import { endGrantsOfSession } from './grant-rows.ts';
import { noteLogout } from './logout-notification-rows.ts';
import { clientsOf, SESSION_COLUMNS, storedSession } from './session-rows.ts';
import { statement } from './statement.ts';

const SELECT = statement(
  'session_select',
  `SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = :tenant AND key = :key`,
);
const OTHERS = statement(
  'session_others',
  `SELECT ${SESSION_COLUMNS} FROM session WHERE tenant = :tenant AND sub = :sub AND key <> :except
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
  const row = await one(transaction.ask(SELECT, { tenant, key }));
  return row === undefined ? undefined : storedSession(row);
}

async function remove(
  transaction: Transaction,
  tenant: TenantId,
  session: StoredSession,
): Promise<EndedSession> {
  const { key, sid } = session;
  const clients = await clientsOf(transaction, tenant, sid);
  await transaction.ask(REMOVE, { tenant, key });
  await transaction.ask(REMOVE_CLIENTS, { tenant, sid });
  return { ...session, clients };
}

async function end(
  transaction: Transaction,
  tenant: TenantId,
  session: StoredSession,
): Promise<EndedSession> {
  await noteLogout(transaction, tenant, session);
  await endGrantsOfSession(transaction, tenant, session.sid);
  return await remove(transaction, tenant, session);
}

/** Ends one, as a part of the act that is under way. */
export async function endSession(
  transaction: Transaction,
  tenant: TenantId,
  key: Digest,
): Promise<EndedSession | undefined> {
  const session = await find(transaction, tenant, key);
  return session === undefined ? undefined : await end(transaction, tenant, session);
}

/** Ends all of `sub` but `except` and, besides it, the `keep` that were seen last. */
export async function endSessionsOf(
  transaction: Transaction,
  tenant: TenantId,
  sub: Subject,
  { except = '' as Digest, keep = 0 }: { readonly except?: Digest | undefined; readonly keep?: number } = {},
): Promise<readonly EndedSession[]> {
  const { rows } = await transaction.ask(OTHERS, { tenant, sub, except, keep });
  const ended: EndedSession[] = [];
  for (const row of rows) ended.push(await end(transaction, tenant, storedSession(row)));
  return ended;
}

/** Ends one, unless it is to go on under another key: then it is only removed, and no client is told. */
export async function replaceSession(
  transaction: Transaction,
  tenant: TenantId,
  key: Digest,
  goesOn: (session: StoredSession) => boolean,
): Promise<{ readonly session: EndedSession; readonly goesOn: boolean } | undefined> {
  const session = await find(transaction, tenant, key);
  if (session === undefined) return undefined;
  return goesOn(session)
    ? { session: await remove(transaction, tenant, session), goesOn: true }
    : { session: await end(transaction, tenant, session), goesOn: false };
}
