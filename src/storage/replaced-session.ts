import type { SessionConditions, StoredSession } from '../ports/session-store.ts';

/** Whether a session that is replaced goes on under its new key: it is the same end-user's, and has not expired. */
export function isSameLiveSubject(
  replaced: StoredSession,
  { sub }: StoredSession,
  now: SessionConditions['now'],
): boolean {
  return replaced.sub === sub && replaced.expires_at > now;
}
