import { sessionEnded } from '../../sessions/browser-session.ts';
import { actorOf } from '../accounts/account-operand.ts';
import { endAllOrOne } from './end-all-or-one.ts';

/** Ends one session of an end-user, or all of them, with the grants that end with it; a running server tells their clients. */
export const run = endAllOrOne({
  noun: 'session',
  ofSubject: async ({ tenant }, sub) => await tenant.storage.sessions.ofSubject(sub),
  idOf: ({ sid }) => sid,
  end: async (session, one) => {
    const event = sessionEnded(session.needs, one, actorOf(session));
    return (await session.tenant.storage.sessions.end(one.key, event)) !== undefined;
  },
});
