import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joseJwtVerifier } from '../jose/jwt-verifier.ts';
import type { StoredLogoutNotification } from '../ports/logout-notification-store.ts';
import type { OutboundFailure, Posted } from '../ports/outbound-http.ts';
import { START } from '../testing/end-users.ts';
import { BACK_CHANNEL, ISSUER, KEY, type TestLogout, TOLD, testLogout } from '../testing/logout.ts';
import { EVENT } from '../testing/storage/stored-examples.ts';

const RETRIES = { 'logout.attempts-max': 3, 'logout.retry-delay': 5 };

const stored = async ({ endUsers }: TestLogout): Promise<readonly StoredLogoutNotification[]> =>
  await endUsers.storage.logoutNotifications.page(undefined, 100);

/** A session of one client that has ended. */
async function ended(
  logout: TestLogout,
  metadata: object = {},
): Promise<Awaited<ReturnType<TestLogout['signedIn']>>> {
  const browser = await logout.signedIn(await logout.client(metadata));
  await logout.endUsers.storage.sessions.end(browser.session.key);
  return browser;
}

// proves openid-backchannel-logout-2.4-1, openid-backchannel-logout-2.4-2, openid-backchannel-logout-4-1
test('the client receives one logout token in a form (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5)', async () => {
  const logout = await testLogout();
  const client = await logout.client();
  const { session } = await logout.signedIn(client);
  await logout.endUsers.storage.sessions.end(session.key);
  await logout.delivery.deliverDue();
  await logout.delivery.deliverDue();
  assert.equal(logout.sent.length, 1);
  const { url, form } = logout.sent[0] ?? assert.fail();
  assert.equal(url, BACK_CHANNEL);
  assert.deepEqual(Object.keys(form), ['logout_token']);
  const verified = await joseJwtVerifier(logout.endUsers.sessions.clock).verify(
    form['logout_token'] ?? '',
    [KEY.jwk],
    {
      algorithms: ['RS256'],
      types: ['logout+jwt'],
      requiredClaims: ['iss', 'sub', 'aud', 'iat', 'exp', 'jti'],
      issuer: ISSUER,
      audience: { kind: 'sole', values: [client.client_id] },
      lifetimeMax: 120,
      ageMax: undefined,
    },
  );
  assert.ok(verified.verified, 'reason' in verified ? verified.reason : '');
  const { jti, ...claims } = verified.claims;
  assert.ok(typeof jti === 'string');
  assert.match(jti, /^[A-Za-z0-9]{24}$/);
  assert.deepEqual(
    { ...claims },
    {
      iss: ISSUER,
      sub: 'ada',
      aud: client.client_id,
      iat: START,
      exp: START + 120,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      sid: session.sid,
    },
  );
  assert.deepEqual(
    (await stored(logout)).map(({ state }) => state),
    ['delivered'],
  );
  assert.deepEqual(logout.outcomes, ['delivered']);
});

test('a client registered under an alias receives a logout token with the alias as issuer (OpenID Connect Core 1.0 §2)', async () => {
  const logout = await testLogout();
  const client = await logout.client();
  const { session } = await logout.signedIn();
  const issuer = 'https://alias.example';
  await logout.endUsers.storage.sessions.addClient(session.sid, { ...client, issuer }, START);
  await logout.endUsers.storage.sessions.end(session.key);
  await logout.delivery.deliverDue();
  const payload = (logout.sent[0]?.form['logout_token'] ?? '').split('.')[1] ?? '';
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { iss: string };
  assert.equal(claims.iss, issuer);
});

test('a client with pairwise subjects receives its pairwise subject (OpenID Connect Core 1.0 §8)', async () => {
  const logout = await testLogout();
  await ended(logout, { subject_type: 'pairwise' });
  await logout.delivery.deliverDue();
  const payload = (logout.sent[0]?.form['logout_token'] ?? '').split('.')[1] ?? '';
  const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub: string };
  assert.match(sub, /^[\w-]{43}$/);
});

// proves openid-backchannel-logout-2.4-2
test('a logout token is encrypted if the client’s ID tokens are (OpenID Connect Back-Channel Logout 1.0 §2.4)', async () => {
  const logout = await testLogout();
  const jwk = { ...KEY.jwk, use: 'enc', kid: 'rp' };
  await ended(logout, { id_token_encrypted_response_alg: 'RSA-OAEP-256', jwks: { keys: [jwk] } });
  await logout.delivery.deliverDue();
  assert.equal((logout.sent[0]?.form['logout_token'] ?? '').split('.').length, 5);
});

test('clients without a logout URI and deleted clients are not notified, and no record remains', async () => {
  const logout = await testLogout();
  await ended(logout, { backchannel_logout_uri: undefined });
  const gone = await logout.client();
  const { session } = await logout.signedIn(gone);
  await logout.endUsers.storage.sessions.end(session.key);
  const { clients } = logout.endUsers.storage;
  await clients.delete(gone, EVENT);
  // Another client with the same identifier.
  const another = { ...gone, instance: 'another' as typeof gone.instance };
  await clients.create(another, { reuseDeletedId: true, now: START, event: EVENT });
  await logout.delivery.deliverDue();
  assert.deepEqual(logout.sent, []);
  assert.deepEqual(await stored(logout), []);
});

const failed = (reason: OutboundFailure): Posted => ({ status: 'failed', reason, detail: 'why' });
const answered = (code: number): Posted => ({ status: 'answered', code });

const ATTEMPTS: readonly (readonly [posted: Posted, state: string])[] = [
  [answered(200), 'delivered'],
  [answered(204), 'delivered'],
  [answered(400), 'failed'],
  [answered(302), 'failed'],
  [answered(404), 'failed'],
  [answered(501), 'waiting'],
  [answered(503), 'waiting'],
  [answered(429), 'waiting'],
  [answered(408), 'waiting'],
  [failed('timeout'), 'waiting'],
  [failed('connection'), 'waiting'],
  [failed('unresolvable'), 'waiting'],
  [failed('tls'), 'waiting'],
  [failed('busy'), 'waiting'],
  [failed('forbidden-address'), 'failed'],
  [failed('invalid-url'), 'failed'],
];

for (const [posted, state] of ATTEMPTS) {
  const words = posted.status === 'answered' ? `status ${posted.code}` : posted.reason;
  // proves openid-backchannel-logout-2.5-2, openid-backchannel-logout-2.8-1
  test(`${words}: ${state}; only recoverable errors are retried (OpenID Connect Back-Channel Logout 1.0 §2.5, §2.8)`, async () => {
    const logout = await testLogout(RETRIES);
    logout.answer(posted);
    await ended(logout);
    await logout.delivery.deliverDue();
    const [notification] = await stored(logout);
    assert.equal(notification?.state, state);
    assert.equal(notification?.due_at, state === 'waiting' ? START + 5 : null);
    if (state === 'delivered') assert.equal(notification?.problem, null);
    else assert.match(notification?.problem ?? '', posted.status === 'answered' ? /^status \d+$/ : /: why$/);
  });
}

// proves openid-backchannel-logout-2.5-2
test('a delivery is retried after 5 and 10 seconds and given up after the third attempt; each attempt has a new token', async () => {
  const logout = await testLogout(RETRIES);
  logout.answer(answered(503));
  await ended(logout);
  const counts: number[] = [];
  for (const seconds of [0, 4, 1, 9, 1, 3600]) {
    logout.endUsers.pass(seconds);
    await logout.delivery.deliverDue();
    counts.push(logout.sent.length);
  }
  assert.deepEqual(counts, [1, 1, 2, 2, 3, 3]);
  const [notification] = await stored(logout);
  assert.deepEqual(
    [notification?.state, notification?.attempts, notification?.problem],
    ['failed', 3, 'status 503'],
  );
  assert.equal(new Set(logout.sent.map(({ form }) => form['logout_token'])).size, 3);
  assert.deepEqual(logout.outcomes, ['postponed', 'postponed', 'failed']);
});

test('each retry delay grows by a random part of up to a half, so retries for one client spread', async () => {
  for (const [octet, wait] of [
    [0, 100],
    [128, 125],
    [255, 149],
  ] as const) {
    const logout = await testLogout({ 'logout.retry-delay': 100 }, octet);
    logout.answer(answered(503));
    await ended(logout);
    await logout.delivery.deliverDue();
    assert.equal((await stored(logout))[0]?.due_at, START + wait);
  }
});

test('a client that recovers is notified; the others are not notified again', async () => {
  const logout = await testLogout(RETRIES);
  const slow = await logout.client({ backchannel_logout_uri: 'https://slow.example/' });
  const { session } = await logout.signedIn(await logout.client(), slow);
  logout.answer(async (url) => (url.includes('slow') ? answered(503) : TOLD));
  await logout.endUsers.storage.sessions.end(session.key);
  await logout.delivery.deliverDue();
  logout.answer(TOLD);
  logout.endUsers.pass(5);
  await logout.delivery.deliverDue();
  assert.deepEqual(logout.sent.map(({ url }) => url).toSorted(), [
    BACK_CHANNEL,
    'https://slow.example/',
    'https://slow.example/',
  ]);
});

test('several processes notify each client once, whichever begins', async () => {
  const logout = await testLogout();
  for (let session = 0; session < 40; session += 1) await ended(logout);
  const { delivery: other } = await logout.again();
  await Promise.all([logout.delivery.deliverDue(), other.deliverDue(), logout.delivery.deliverDue()]);
  assert.equal(logout.sent.length, 40);
});

test('a notification whose process died is delivered by another process after the lease', async () => {
  const logout = await testLogout();
  const { storage } = logout.endUsers;
  const { session } = await ended(logout);
  await storage.logoutNotifications.take({ now: START, until: START + 60, limit: 10 });
  await logout.delivery.deliverDue();
  assert.equal(logout.sent.length, 0);
  logout.endUsers.pass(60);
  await logout.delivery.deliverDue();
  assert.equal(logout.sent.length, 1);
  assert.equal((await stored(logout))[0]?.sid, session.sid);
});

test('the logout waits for the client that requested it, not for the others', async () => {
  const logout = await testLogout();
  const first = await logout.client();
  const hanging = await logout.client({ backchannel_logout_uri: 'https://hanging.example/' });
  const { session } = await logout.signedIn(hanging, first);
  const { promise, resolve } = Promise.withResolvers<Posted>();
  logout.answer(async (url) => (url.includes('hanging') ? await promise : TOLD));
  await logout.endUsers.storage.sessions.end(session.key);
  await logout.delivery.deliver(session.sid, new Set([first.client_id]));
  assert.deepEqual(logout.outcomes, ['delivered']);
  const closed = logout.delivery.close();
  resolve(TOLD);
  await closed;
  assert.deepEqual(logout.outcomes, ['delivered', 'delivered']);
  assert.equal(logout.sent.length, 2);
});

test('the logout does not wait for a client that is not notified', async () => {
  const logout = await testLogout();
  const { session } = await ended(logout);
  await logout.delivery.deliver(session.sid, new Set());
  await logout.delivery.close();
  assert.equal(logout.sent.length, 1);
  await logout.delivery.deliver(session.sid, new Set());
  assert.equal(logout.sent.length, 1);
});

test('a server fault is logged, and the client is notified after the lease expires', async () => {
  const logout = await testLogout();
  await ended(logout);
  logout.answer(async () => await Promise.reject(new Error('made up')));
  await logout.delivery.deliverDue();
  assert.ok(logout.endUsers.lines.some(({ message }) => message === 'logout notification failed'));
  logout.answer(TOLD);
  logout.endUsers.pass(60);
  await logout.delivery.deliverDue();
  assert.equal((await stored(logout))[0]?.state, 'delivered');
});
