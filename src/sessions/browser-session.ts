import { createHmac, timingSafeEqual } from 'node:crypto';
import { digestOf } from '../keys/digest.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Random } from '../ports/random.ts';
import type { EndedSession, SessionStore, StoredSession } from '../ports/session-store.ts';
import { type Digest, IDENTIFIER_LENGTHS, type SessionId, type Subject } from '../spec/identifiers.ts';

export interface SessionNeeds {
  readonly sessions: SessionStore;
  readonly browsers: Pick<AccountStore, 'knowsBrowser' | 'rememberBrowser'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: SessionLimits;
}

/** Seconds, but for `perAccount`. */
export interface SessionLimits {
  readonly idleLifetime: number;
  readonly lifetime: number;
  /** Sessions of one account at a time. */
  readonly perAccount: number;
  /** How long a browser is known after a sign-in. */
  readonly browserLifetime: number;
}

/** How and as whom an end-user authenticated. */
export interface Authentication {
  readonly sub: Subject;
  /** Of the account as it was authenticated, where it is in our own store. */
  readonly accountVersion: number | undefined;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** When it was, where that is not now; never later. */
  readonly auth_time?: number;
}

/** What the browser sent; each undefined where it sent none. */
export interface BrowserCookies {
  readonly session: string | undefined;
  readonly browser: string | undefined;
  /** A session that began for what the browser does now, and whose cookie it may never have got: a form sent twice. */
  readonly abandoned?: Digest | undefined;
}

export type SignedIn =
  | {
      readonly outcome: 'signed_in';
      readonly session: StoredSession;
      /** The values of both cookies from now on. */
      readonly cookies: { readonly session: string; readonly browser: string };
      /** Sessions that made way; their clients are to be told. */
      readonly ended: readonly EndedSession[];
    }
  /** The account was disabled, deleted or changed while its password was checked: the end-user is to sign in again. */
  | { readonly outcome: 'account_changed' };

/** Browsers of one account that are known at a time. */
const BROWSERS_MAX = 20;
/** Being seen is written down again after a sixtieth of the idle lifetime, so that a busy session costs few writes. */
const TOUCHES_PER_IDLE_LIFETIME = 60;

/** Begins a session under a new id; the one that the browser had ends (`SessionConditions.replaces`). */
export async function signIn(
  needs: SessionNeeds,
  authentication: Authentication,
  cookies: BrowserCookies,
): Promise<SignedIn> {
  const { sessions, clock, random, limits } = needs;
  const now = clock.now();
  const { accountVersion, auth_time = now, ...who } = authentication;
  const session_cookie = random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const ends_at = now + limits.lifetime;
  const session: StoredSession = {
    ...who,
    key: digestOf(session_cookie),
    sid: random.alphanumeric(IDENTIFIER_LENGTHS.sid) as SessionId,
    auth_time: Math.min(auth_time, now),
    created_at: now,
    last_seen_at: now,
    expires_at: Math.min(ends_at, now + limits.idleLifetime),
    ends_at,
  };
  const replaces = await replacedBy(sessions, cookies);
  const conditions = { replaces, accountVersion, sessionsMax: limits.perAccount, now };
  const creation = await sessions.create(session, conditions);
  if (creation.outcome === 'account_changed') return creation;
  const browser = await rememberedBrowser(needs, who.sub, cookies.browser, now);
  return {
    outcome: 'signed_in',
    session: creation.session,
    cookies: { session: session_cookie, browser },
    ended: creation.ended,
  };
}

/** The session that a browser had so far. */
async function replacedBy(
  sessions: SessionStore,
  { session, abandoned }: BrowserCookies,
): Promise<Digest | undefined> {
  const own = session === undefined ? undefined : digestOf(session);
  if (abandoned === undefined || own === abandoned) return own;
  return own !== undefined && (await sessions.find(own)) !== undefined ? own : abandoned;
}

/** The cookie that tells this browser from strangers' at the next sign-in as `sub`. */
async function rememberedBrowser(
  { browsers, random, limits }: SessionNeeds,
  sub: Subject,
  sent: string | undefined,
  now: number,
): Promise<string> {
  // One that this account did not sign in with may have been put there by somebody who knows it.
  const known = sent !== undefined && (await browsers.knowsBrowser(sub, digestOf(sent), now));
  const browser = known ? sent : random.alphanumeric(IDENTIFIER_LENGTHS.session);
  await browsers.rememberBrowser(sub, digestOf(browser), now + limits.browserLifetime, BROWSERS_MAX);
  return browser;
}

/** The live session that a cookie stands for; it is noted, coarsely, that it was seen. */
export async function currentSession(
  { sessions, clock, limits }: Pick<SessionNeeds, 'sessions' | 'clock' | 'limits'>,
  cookie: string | undefined,
): Promise<StoredSession | undefined> {
  const session = cookie === undefined ? undefined : await sessions.find(digestOf(cookie));
  const now = clock.now();
  if (session === undefined || session.expires_at <= now) return undefined;
  if (now - session.last_seen_at < limits.idleLifetime / TOUCHES_PER_IDLE_LIFETIME) return session;
  const expires_at = Math.min(session.ends_at, now + limits.idleLifetime);
  // It may have ended since it was read: then it is none.
  return (await sessions.touch(session.key, now, expires_at))
    ? { ...session, last_seen_at: now, expires_at }
    : undefined;
}

/** What the audit keeps of the end of a session. @param client_id who sent the end-user to log out */
export function sessionEnded(
  { clock }: Pick<SessionNeeds, 'clock'>,
  { sub, sid }: StoredSession,
  who: Pick<AuditEvent, 'actor' | 'request_id'>,
  client_id: string | null = null,
): AuditEvent {
  const detail = `sub ${sub}: sid ${sid}`;
  return { at: clock.now(), action: 'session.end', outcome: 'done', client_id, detail, ...who };
}

/** Ends the session that a cookie stands for, live or not; undefined where there was none. */
export async function endSession(
  { sessions }: Pick<SessionNeeds, 'sessions'>,
  cookie: string | undefined,
  event?: AuditEvent,
): Promise<EndedSession | undefined> {
  return cookie === undefined ? undefined : await sessions.end(digestOf(cookie), event);
}

/**
 * What a form of ours carries and another site's cannot know. Derived from the cookie, from which it tells nothing, and
 * bound to what the form is for, so that one form's token is good in no other.
 */
export function antiForgeryToken(cookie: string, purpose: string): string {
  return createHmac('sha256', cookie).update(`anti-forgery:${purpose}`).digest('base64url');
}

export function isAntiForgeryToken(token: string, cookie: string, purpose: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(antiForgeryToken(cookie, purpose))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
