import type { StoredSession } from '../../../ports/session-store.ts';
import type { TenantStorage } from '../../../ports/storage.ts';
import type { SessionId } from '../../../spec/identifiers.ts';
import { notFound } from '../../../spec/problems.ts';
import { timeText } from '../../../spec/time-text.ts';
import { type AdminCall, type AdminNeeds, acting, type Item, listing, reading } from '../operation.ts';
import { filterIn, Names, type PeopleNeeds, rangeOf } from '../people.ts';
import { sessionEnd, sessionList, sessionRead } from './contract.ts';

export interface AdminSessionNeeds extends PeopleNeeds, Pick<AdminNeeds, 'clock'> {
  readonly storage: Pick<TenantStorage, 'accounts' | 'sessions'>;
}

export const adminSessions = [
  listing<AdminSessionNeeds>(sessionList, async (needs, { page, query }) => {
    const filter = await filterIn(needs, query);
    if (filter === undefined) return { items: [] };
    const now = needs.clock.now();
    const { sub, client } = filter;
    const asked = { sub: sub as StoredSession['sub'] | undefined, client, now };
    const { rows, next } = await needs.storage.sessions.list(asked, rangeOf(page));
    const names = new Names(needs);
    return { items: await Promise.all(rows.map(async (row) => await rendered(needs, names, row))), next };
  }),
  reading<AdminSessionNeeds>(sessionRead, async (needs, call) => ({
    item: await rendered(needs, new Names(needs), await sessionAt(needs, call)),
  })),
  acting<AdminSessionNeeds>(sessionEnd, async (needs, call) => {
    const session = await sessionAt(needs, call);
    const { key, sid, sub } = session;
    return {
      before: await rendered(needs, new Names(needs), session),
      after: null,
      commit: async () => {
        const ended = await needs.storage.sessions.end(key, call.event({ sub, detail: sid }));
        if (ended === undefined) throw notFound('session');
        return {};
      },
    };
  }),
];

async function sessionAt(
  { storage, clock }: AdminSessionNeeds,
  { segments }: AdminCall,
): Promise<StoredSession> {
  const session = await storage.sessions.findBySid((segments['sid'] ?? '') as SessionId);
  if (session === undefined || session.expires_at <= clock.now()) throw notFound('session');
  return session;
}

async function rendered(
  { storage }: AdminSessionNeeds,
  names: Names,
  { sid, sub, auth_time, acr, amr, created_at, last_seen_at, expires_at, ends_at }: StoredSession,
): Promise<Item> {
  const took = await storage.sessions.clients(sid);
  const clients = took.map(async ({ client_id, first_used_at, last_used_at }) => ({
    client_id,
    client_name: await names.clientName(client_id),
    first_used_at: timeText(first_used_at),
    last_used_at: timeText(last_used_at),
  }));
  return {
    sid,
    sub,
    username: await names.username(sub),
    auth_time: timeText(auth_time),
    acr,
    amr,
    created_at: timeText(created_at),
    last_seen_at: timeText(last_seen_at),
    expires_at: timeText(expires_at),
    ends_at: timeText(ends_at),
    clients: await Promise.all(clients),
  };
}
