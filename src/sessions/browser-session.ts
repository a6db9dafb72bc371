import { createHmac, timingSafeEqual } from 'node:crypto';
import { logEvent, personEvent, type RequestOrigin } from '../clients/person-event.ts';
import type { Settings } from '../config/settings.ts';
import { digestOf } from '../keys/digest.ts';
import type { AccountStore } from '../ports/account-store.ts';
import type { AuditEvent } from '../ports/audit-log.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Counting } from '../ports/metrics.ts';
import type { Random } from '../ports/random.ts';
import type { EndedSession, SessionStore, StoredSession } from '../ports/session-store.ts';
import {
  type ClientId,
  type Digest,
  IDENTIFIER_LENGTHS,
  type SessionId,
  type Subject,
} from '../spec/identifiers.ts';

export interface SessionNeeds {
  readonly sessions: SessionStore;
  readonly browsers: Pick<AccountStore, 'knowsBrowser' | 'rememberBrowser'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: Settings;
  readonly log: Log;
  readonly metrics: Pick<Counting, 'count'>;
}

/** An authenticated end-user, and how the authentication happened. */
export interface Authentication {
  readonly sub: Subject;
  /** The version of the account that was authenticated; undefined for an account of another store. */
  readonly accountVersion: number | undefined;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** The time of the authentication, if not now; never later. */
  readonly auth_time?: number;
}

/** The cookies of the browser; each undefined if absent. */
export interface BrowserCookies {
  readonly session: string | undefined;
  readonly browser: string | undefined;
  /**
   * A session that this form already began and whose cookie may never have arrived: the form was sent twice.
   */
  readonly abandoned?: Digest | undefined;
}

export type SignedIn =
  | {
      readonly outcome: 'signed_in';
      readonly session: StoredSession;
      /** The new values of both cookies. */
      readonly cookies: { readonly session: string; readonly browser: string };
      /** Sessions that ended to make room. Their clients must be notified. */
      readonly ended: readonly EndedSession[];
    }
  /**
   * The account was disabled, deleted or changed while its password was checked. The end-user must sign in
   * again.
   */
  | { readonly outcome: 'account_changed' };

/** The client that the end-user signs in for, and the request that did it. */
export interface SignInCause {
  /** Null if the person signs in for none, on a page of the own account. */
  readonly client_id: ClientId | null;
  /** The party that authenticated the end-user: this server, or the page of the operator. */
  readonly method: 'password' | 'external';
  readonly origin: RequestOrigin;
}

/** Browsers that are remembered for one account. */
const BROWSERS_MAX = 20;
/**
 * Fractions of the idle lifetime after which a use is recorded again, so that a busy session causes few
 * writes.
 */
const TOUCHES_PER_IDLE_LIFETIME = 60;

/**
 * Begins a session under a new id and ends the previous one of the browser (`SessionConditions.replaces`).
 */
export async function signIn(
  needs: SessionNeeds,
  authentication: Authentication,
  cookies: BrowserCookies,
  cause: SignInCause,
): Promise<SignedIn> {
  const replaces = await replacedBy(needs.sessions, cookies);
  const begun = await beginSession(needs, authentication, replaces, cause);
  if (begun.outcome === 'account_changed') return begun;
  const { session_cookie, session, ended } = begun;
  const browser = await rememberedBrowser(needs, session.sub, cookies.browser, needs.clock.now());
  return { outcome: 'signed_in', session, cookies: { session: session_cookie, browser }, ended };
}

type BegunSession =
  | (Pick<Extract<SignedIn, { readonly outcome: 'signed_in' }>, 'session' | 'ended'> & {
      readonly outcome: 'begun';
      readonly session_cookie: string;
    })
  | Extract<SignedIn, { readonly outcome: 'account_changed' }>;

/**
 * Begins a session under a new id, with or without a browser.
 * @param replaces a session that ends
 */
export async function beginSession(
  needs: SessionNeeds,
  authentication: Authentication,
  replaces: Digest | undefined,
  { client_id, method, origin }: SignInCause,
): Promise<BegunSession> {
  const { sessions, clock, random, settings, metrics } = needs;
  const now = clock.now();
  const { accountVersion, auth_time = now, ...who } = authentication;
  const session_cookie = random.alphanumeric(IDENTIFIER_LENGTHS.session);
  const ends_at = now + settings['session.lifetime'];
  const session: StoredSession = {
    ...who,
    key: digestOf(session_cookie),
    sid: random.alphanumeric(IDENTIFIER_LENGTHS.sid) as SessionId,
    auth_time: Math.min(auth_time, now),
    created_at: now,
    last_seen_at: now,
    expires_at: Math.min(ends_at, now + settings['session.idle-lifetime']),
    ends_at,
  };
  const about = { sub: who.sub, client_id };
  const event = personEvent(needs, 'session.create', { ...about, detail: who.amr.join(' ') || null }, origin);
  const sessionsMax = settings['session.per-account-max'];
  const creation = await sessions.create(session, { replaces, accountVersion, sessionsMax, now, event });
  if (creation.outcome === 'account_changed') {
    const refused = { ...about, outcome: 'refused', detail: 'account-changed' } as const;
    logEvent(needs, personEvent(needs, 'sign-in.refuse', refused, origin));
    metrics.count('chancery_sign_ins_total', { method, outcome: 'account-changed' });
    return creation;
  }
  logEvent(needs, event);
  metrics.count('chancery_sign_ins_total', { method, outcome: 'succeeded' });
  return { outcome: 'begun', session: creation.session, session_cookie, ended: creation.ended };
}

/** Returns the previous session of the browser. */
async function replacedBy(
  sessions: SessionStore,
  { session, abandoned }: BrowserCookies,
): Promise<Digest | undefined> {
  const own = session === undefined ? undefined : digestOf(session);
  if (abandoned === undefined || own === abandoned) return own;
  return own !== undefined && (await sessions.find(own)) !== undefined ? own : abandoned;
}

/** Returns the cookie that identifies this browser at the next sign-in as `sub`, and remembers it. */
async function rememberedBrowser(
  { browsers, random, settings }: SessionNeeds,
  sub: Subject,
  sent: string | undefined,
  now: number,
): Promise<string> {
  // A cookie unknown to this account may have been planted by an attacker, who then knows it.
  const known = sent !== undefined && (await browsers.knowsBrowser(sub, digestOf(sent), now));
  const browser = known ? sent : random.alphanumeric(IDENTIFIER_LENGTHS.session);
  await browsers.rememberBrowser(
    sub,
    digestOf(browser),
    now + settings['sign-in.browser-lifetime'],
    BROWSERS_MAX,
  );
  return browser;
}

/** Returns the live session of a cookie and extends it, at most once per fraction of the idle lifetime. */
export async function currentSession(
  { sessions, clock, settings }: Pick<SessionNeeds, 'sessions' | 'clock' | 'settings'>,
  cookie: string | undefined,
): Promise<StoredSession | undefined> {
  const session = cookie === undefined ? undefined : await sessions.find(digestOf(cookie));
  const now = clock.now();
  if (session === undefined || session.expires_at <= now) return undefined;
  const idleLifetime = settings['session.idle-lifetime'];
  if (now - session.last_seen_at < idleLifetime / TOUCHES_PER_IDLE_LIFETIME) return session;
  const expires_at = Math.min(session.ends_at, now + idleLifetime);
  // The session may have ended since it was read.
  return (await sessions.touch(session.key, now, expires_at))
    ? { ...session, last_seen_at: now, expires_at }
    : undefined;
}

/**
 * Makes the audit event of the end of a session.
 * @param client_id the client that requested the logout, if any
 */
export function sessionEnded(
  { clock }: Pick<SessionNeeds, 'clock'>,
  { sub, sid }: StoredSession,
  who: Pick<AuditEvent, 'actor' | 'request_id' | 'address' | 'user_agent'>,
  client_id: string | null = null,
): AuditEvent {
  const detail = `sid ${sid}`;
  return { at: clock.now(), action: 'session.end', outcome: 'done', client_id, sub, detail, ...who };
}

/** Ends the session of a cookie, live or expired; returns undefined if there is none. */
export async function endSession(
  { sessions }: Pick<SessionNeeds, 'sessions'>,
  cookie: string | undefined,
  event?: AuditEvent,
): Promise<EndedSession | undefined> {
  return cookie === undefined ? undefined : await sessions.end(digestOf(cookie), event);
}

/**
 * Returns a token that another site cannot know. It is derived from the cookie, which it does not reveal, and
 * is valid for one purpose only.
 */
export function antiForgeryToken(cookie: string, purpose: string): string {
  return createHmac('sha256', cookie).update(`anti-forgery:${purpose}`).digest('base64url');
}

/** Says whether a token is the one of this cookie and purpose, in constant time. */
export function isAntiForgeryToken(token: string, cookie: string, purpose: string): boolean {
  const [given, expected] = [Buffer.from(token), Buffer.from(antiForgeryToken(cookie, purpose))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
