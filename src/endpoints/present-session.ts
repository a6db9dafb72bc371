import type { StoredSession } from '../ports/session-store.ts';
import { currentSession, type SessionNeeds } from '../sessions/browser-session.ts';
import type { Browser } from './browser.ts';
import type { EndpointRequest } from './contract.ts';

export interface PresentSessionNeeds {
  readonly browser: Browser;
  readonly sessions: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>;
}

/** The live session of a browser, with the cookie that its forms are bound to. */
export interface PresentSession {
  readonly session: StoredSession;
  readonly cookie: string;
}

/** Returns the live session of the browser that sends this request. */
export async function presentSession(
  { sessions, browser }: PresentSessionNeeds,
  request: EndpointRequest,
): Promise<PresentSession | undefined> {
  const cookie = browser.cookie(request, 'session');
  const session = await currentSession(sessions, cookie);
  return session === undefined || cookie === undefined ? undefined : { session, cookie };
}
