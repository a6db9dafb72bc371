import type { StoredSession } from '../../ports/session-store.ts';
import { printFields, timeText } from '../table.ts';
import { accountFields, accountJson } from './account-operand.ts';
import { onAccount } from './one-account.ts';

/** One account with its claims and its sessions; never its password. */
export const run = onAccount(async (account, { tenant, needs }) => {
  const now = needs.clock.now();
  const stored = await tenant.storage.sessions.ofSubject(account.sub);
  const live = stored.filter(({ expires_at }) => expires_at > now);
  return {
    json: { ...accountJson(account), sessions: live.map(sessionJson) },
    print: (print) => printFields(print, [...accountFields(account), ...live.map(sessionField)]),
  };
});

function sessionJson({ sid, auth_time, last_seen_at, expires_at }: StoredSession): object {
  return { sid, auth_time, last_seen_at, expires_at };
}

function sessionField({ sid, last_seen_at }: StoredSession): readonly [string, string] {
  return ['session', `${sid}, last seen ${timeText(last_seen_at, '-')}`];
}
