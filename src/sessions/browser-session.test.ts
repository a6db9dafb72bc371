import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestOf } from '../keys/digest.ts';
import type { StoredSession } from '../ports/session-store.ts';
import type { ClientId, Subject } from '../spec/identifiers.ts';
import { ACTOR, ADA, START, type TestEndUsers, testEndUsers } from '../testing/end-users.ts';
import {
  type Authentication,
  antiForgeryToken,
  type BrowserCookies,
  currentSession,
  endSession,
  isAntiForgeryToken,
  type SignInCause,
  signIn,
} from './browser-session.ts';
import { addAccount, setDisabled } from './manage-account.ts';

const LIFETIMES = {
  'session.idle-lifetime': 3600,
  'session.lifetime': 86_400,
  'session.per-account-max': 3,
  'sign-in.browser-lifetime': 864_000,
};

const NO_COOKIES: BrowserCookies = { session: undefined, browser: undefined };
const CAUSE: SignInCause = {
  client_id: 'rp' as ClientId,
  method: 'password',
  origin: { remoteAddress: '192.0.2.7', request_id: 'r', userAgent: 'Browser/1' },
};
const BY_PASSWORD: Authentication = {
  sub: 'ada' as Subject,
  accountVersion: undefined,
  acr: null,
  amr: ['pwd'],
};

async function signedIn(
  { sessions }: TestEndUsers,
  cookies: BrowserCookies = NO_COOKIES,
  who: Partial<Authentication> = {},
) {
  const result = await signIn(sessions, { ...BY_PASSWORD, ...who }, cookies, CAUSE);
  assert.ok(result.outcome === 'signed_in');
  return result;
}

test('a sign-in sets random cookies of 256 bits; only their digests are stored', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const { session, cookies } = await signedIn(endUsers);
  for (const cookie of [cookies.session, cookies.browser]) assert.match(cookie, /^[A-Za-z0-9]{43}$/);
  const { sid } = session;
  const expected: StoredSession = {
    key: digestOf(cookies.session),
    sid,
    sub: BY_PASSWORD.sub,
    auth_time: START,
    acr: null,
    amr: ['pwd'],
    created_at: START,
    last_seen_at: START,
    expires_at: START + 3600,
    ends_at: START + 86_400,
  };
  assert.deepEqual(await currentSession(endUsers.sessions, cookies.session), expected);
  assert.equal(await currentSession(endUsers.sessions, sid), undefined, 'the sid opens nothing');
  assert.equal(await currentSession(endUsers.sessions, expected.key), undefined, 'nor does the digest');
});

test('each sign-in sets a new session id and invalidates the old one (S-08, session fixation)', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const first = await signedIn(endUsers, { session: 'chosen by an attacker', browser: 'this too' });
  assert.notEqual(first.cookies.session, 'chosen by an attacker');
  assert.notEqual(first.cookies.browser, 'this too');
  const again = await signedIn(endUsers, first.cookies);
  assert.notEqual(again.cookies.session, first.cookies.session);
  assert.equal(again.session.sid, first.session.sid, 'clients know the session by its sid');
  assert.equal(await currentSession(endUsers.sessions, first.cookies.session), undefined);
  const bobs = await signedIn(endUsers, again.cookies, { sub: 'bob' as Subject });
  assert.notEqual(bobs.session.sid, again.session.sid);
  assert.deepEqual(
    bobs.ended.map(({ sid }) => sid),
    [again.session.sid],
  );
});

test('a browser keeps its cookie for one account and gets a new one for another account', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const first = await signedIn(endUsers);
  const again = await signedIn(endUsers, first.cookies);
  assert.equal(again.cookies.browser, first.cookies.browser);
  const bobs = await signedIn(endUsers, again.cookies, { sub: 'bob' as Subject });
  assert.notEqual(bobs.cookies.browser, first.cookies.browser);
  const { accounts } = endUsers.storage;
  const digest = digestOf(first.cookies.browser);
  assert.equal(await accounts.knowsBrowser(BY_PASSWORD.sub, digest, START + 864_000), true);
  assert.equal(await accounts.knowsBrowser('bob' as Subject, digest, START), false);
});

test('a session ends after its idle lifetime without use; a use extends it', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const { cookies } = await signedIn(endUsers);
  endUsers.pass(3599);
  assert.notEqual(await currentSession(endUsers.sessions, cookies.session), undefined);
  endUsers.pass(3599);
  assert.equal((await currentSession(endUsers.sessions, cookies.session))?.expires_at, START + 10_798);
  endUsers.pass(3600);
  assert.equal(await currentSession(endUsers.sessions, cookies.session), undefined);
});

test('a session ends at its absolute lifetime however much it is used', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const { cookies } = await signedIn(endUsers);
  for (let hour = 1; hour < 24; hour += 1) {
    endUsers.pass(3599);
    assert.notEqual(await currentSession(endUsers.sessions, cookies.session), undefined, `hour ${hour}`);
  }
  endUsers.pass(86_400 - 23 * 3599);
  assert.equal(await currentSession(endUsers.sessions, cookies.session), undefined);
});

test('the last use of a session is recorded coarsely', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const { cookies, session } = await signedIn(endUsers);
  endUsers.pass(59);
  await currentSession(endUsers.sessions, cookies.session);
  assert.equal((await endUsers.storage.sessions.find(session.key))?.last_seen_at, START);
  endUsers.pass(1);
  await currentSession(endUsers.sessions, cookies.session);
  assert.equal((await endUsers.storage.sessions.find(session.key))?.last_seen_at, START + 60);
});

test('an ended session stays invalid and ends only once', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const { cookies, session } = await signedIn(endUsers);
  assert.equal((await endSession(endUsers.sessions, cookies.session))?.sid, session.sid);
  assert.equal(await endSession(endUsers.sessions, cookies.session), undefined);
  assert.equal(await endSession(endUsers.sessions, undefined), undefined);
  assert.equal(await currentSession(endUsers.sessions, cookies.session), undefined);
});

test('above the limit of sessions per account, the least recently used session ends', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const first = await signedIn(endUsers);
  for (let more = 0; more < 2; more += 1) {
    endUsers.pass(1);
    await signedIn(endUsers);
  }
  endUsers.pass(1);
  const fourth = await signedIn(endUsers);
  assert.deepEqual(
    fourth.ended.map(({ sid }) => sid),
    [first.session.sid],
  );
});

test('an account that was disabled while its password was checked gets no session', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const account = await addAccount(endUsers.accounts, ADA, ACTOR);
  await setDisabled(endUsers.accounts, account, true, ACTOR);
  const who = { ...BY_PASSWORD, sub: account.sub, accountVersion: account.version };
  assert.deepEqual(await signIn(endUsers.sessions, who, NO_COOKIES, CAUSE), { outcome: 'account_changed' });
  assert.deepEqual(await endUsers.storage.sessions.ofSubject(account.sub), []);
});

test('after an account is disabled, its next request has no session', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const account = await addAccount(endUsers.accounts, ADA, ACTOR);
  const who = { sub: account.sub, accountVersion: account.version };
  const { cookies } = await signedIn(endUsers, NO_COOKIES, who);
  await setDisabled(endUsers.accounts, account, true, ACTOR);
  assert.equal(await currentSession(endUsers.sessions, cookies.session), undefined);
});

test('an anti-forgery token is valid for one session and purpose; changing any byte invalidates it', () => {
  const token = antiForgeryToken('cookie', 'logout');
  assert.equal(isAntiForgeryToken(token, 'cookie', 'logout'), true);
  assert.equal(isAntiForgeryToken(token, 'cookif', 'logout'), false);
  assert.equal(isAntiForgeryToken(token, 'cookie', 'consent'), false);
  assert.equal(isAntiForgeryToken('', 'cookie', 'logout'), false);
  assert.equal(isAntiForgeryToken(`${token}A`, 'cookie', 'logout'), false);
  for (let at = 0; at < token.length; at += 1) {
    const changed = token[at] === 'A' ? 'B' : 'A';
    const mutant = token.slice(0, at) + changed + token.slice(at + 1);
    assert.equal(isAntiForgeryToken(mutant, 'cookie', 'logout'), false, `byte ${at}`);
  }
  assert.ok(!token.includes('cookie'));
});

// proves openid-frontchannel-logout-5-1
test('session identifiers have 24 letters and digits of chance, and thirty are different (OpenID Connect Front-Channel Logout 1.0 §5)', async () => {
  const endUsers = await testEndUsers(LIFETIMES);
  const none = { session: undefined, browser: undefined };
  const sids = new Set<string>();
  for (let count = 0; count < 30; count += 1) sids.add((await signedIn(endUsers, none)).session.sid);
  assert.equal(sids.size, 30);
  for (const sid of sids) assert.match(sid, /^[A-Za-z0-9]{24}$/);
});
