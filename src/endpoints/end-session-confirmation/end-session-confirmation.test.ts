import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Posted } from '../../ports/outbound-http.ts';
import { HOME, TOLD } from '../../testing/logout.ts';
import {
  assertPage,
  type Dialog,
  type Different,
  sessionCookieName,
  testLogoutPages,
} from '../../testing/logout-pages.ts';
import { EVENT } from '../../testing/storage/stored-examples.ts';
import { DEFAULTS } from '../../testing/tenant.ts';

// proves openid-rp-logout-2-6
test('200: yes: the session is dead at once, its cookie is taken back, and clients are told (decision 31; H-175)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const { cookie, session } = await pages.signedIn(client);
  pages.use(cookie);
  const answered = await pages.choose(await pages.dialog(), 'logout');
  assert.equal(answered.status, 200);
  assertPage(answered);
  assert.match(answered.body, /You are signed out/);
  assert.equal(pages.jar.has(sessionCookieName()), false);
  assert.equal(await pages.endUsers.storage.sessions.find(session.key), undefined);
  const event = (await pages.endUsers.storage.audit.page(0, 100)).at(-1);
  assert.deepEqual(
    [event?.action, event?.actor, event?.sub, event?.detail],
    ['session.end', 'end-user', 'ada', `sid ${session.sid}`],
  );
  await pages.delivery.close();
  assert.equal(pages.sent.length, 1);
  pages.use(cookie);
  assert.match((await pages.dialog()).body, /There is no session to end/, 'the old cookie opens nothing');
});

// proves openid-rp-logout-2-6
test('200: no: the session goes on (H-174)', async () => {
  const pages = await testLogoutPages();
  const { cookie, session } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  const answered = await pages.choose(await pages.dialog(), 'stay');
  assert.equal(answered.status, 200);
  assert.match(answered.body, /You are still signed in/);
  assert.deepEqual(answered.cookies, []);
  assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
  assert.deepEqual(pages.sent, []);
});

for (const choice of ['logout', 'stay']) {
  // proves openid-rp-logout-4-1
  test(`200: ${choice} without a session is no error (OpenID Connect RP-Initiated Logout 1.0 §4)`, async () => {
    const pages = await testLogoutPages();
    const answered = await pages.choose(await pages.dialog(), choice);
    assert.equal(answered.status, 200);
    assert.match(answered.body, /You are not signed in/);
  });
}

test('200: the client is deleted between the question and the answer: a page, and no redirection (H-177)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const { cookie } = await pages.signedIn(client);
  pages.use(cookie);
  const dialog = await pages.dialog({ id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME });
  await pages.endUsers.storage.clients.delete(client, EVENT);
  const answered = await pages.choose(dialog, 'logout');
  assert.equal(answered.status, 200);
  assertPage(answered);
  assert.match(answered.body, /You are signed out/);
  assert.match(answered.body, /<code>request-1<\/code>/);
});

test('200: a session that has expired meanwhile has ended, and its clients are told', async () => {
  const pages = await testLogoutPages({ 'session.idle-lifetime': 3600 });
  const { cookie } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  pages.endUsers.pass(3000);
  const dialog = await pages.dialog();
  pages.endUsers.pass(800);
  assert.match((await pages.choose(dialog, 'logout')).body, /You are signed out/);
  await pages.delivery.close();
  assert.equal(pages.sent.length, 1);
});

for (const choice of ['logout', 'stay']) {
  for (const session of ['a', 'no']) {
    // proves openid-rp-logout-3-4
    test(`303: ${choice} with ${session} session: the browser goes back, whatever the choice was, with the state (decision 33; H-174)`, async () => {
      const pages = await testLogoutPages();
      const client = await pages.client();
      const browser = await pages.signedIn(client);
      if (session === 'a') pages.use(browser.cookie);
      const id_token_hint = pages.idToken(client);
      const dialog = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME, state: 'a b' });
      const answered = await pages.choose(dialog, choice);
      assert.equal(answered.status, 303);
      assert.equal(answered.headers['location'], `${HOME}?state=a%20b`);
      assert.equal(answered.headers['cache-control'], 'no-store');
      assert.equal(answered.headers['referrer-policy'], 'no-referrer');
      assert.equal(answered.body, '');
      const lives = (await pages.endUsers.storage.sessions.find(browser.session.key)) !== undefined;
      assert.equal(lives, choice === 'stay' || session === 'no');
    });
  }
}

test('303: what is sent with the answer besides is not looked at: the page’s own request counts (decision 31; H-178)', async () => {
  const pages = await testLogoutPages();
  const [client, other] = [
    await pages.client(),
    await pages.client({ post_logout_redirect_uris: ['https://evil/'] }),
  ];
  const id_token_hint = pages.idToken(client);
  const dialog = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME, state: 's' });
  const form = {
    post_logout_redirect_uri: 'https://evil/',
    state: 'x',
    client_id: other.client_id,
    id_token_hint: pages.idToken(other),
  };
  const answered = await pages.choose(dialog, 'stay', {
    form,
    query: 'post_logout_redirect_uri=https://evil/',
  });
  assert.equal(answered.headers['location'], `${HOME}?state=s`);
});

test('303: two tabs of two clients: the one that is answered decides where the browser goes (H-179)', async () => {
  const pages = await testLogoutPages();
  const [one, two] = [
    await pages.client({ post_logout_redirect_uris: ['https://one.example/'] }),
    await pages.client({ post_logout_redirect_uris: ['https://two.example/'] }),
  ];
  const { cookie } = await pages.signedIn(one, two);
  pages.use(cookie);
  const older = await pages.dialog({
    id_token_hint: pages.idToken(one),
    post_logout_redirect_uri: 'https://one.example/',
  });
  const newer = await pages.dialog({
    id_token_hint: pages.idToken(two),
    post_logout_redirect_uri: 'https://two.example/',
  });
  assert.equal((await pages.choose(older, 'logout')).headers['location'], 'https://one.example/');
  assert.equal((await pages.choose(newer, 'logout')).headers['location'], 'https://two.example/');
});

// proves openid-rp-logout-2-6
test('303: a hint about a different session: the page asks about the session of the browser, and ends that one (H-176)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const [mine, theirs] = [await pages.signedIn(client), await pages.signedIn(client)];
  pages.use(mine.cookie);
  const id_token_hint = pages.idToken(client, { sub: 'bob', sid: theirs.session.sid });
  const dialog = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME });
  assert.match(dialog.body, /Sign out of this server too, ada\?/);
  assert.equal((await pages.choose(dialog, 'logout')).status, 303);
  const { sessions } = pages.endUsers.storage;
  assert.equal(await sessions.find(mine.session.key), undefined);
  assert.ok((await sessions.find(theirs.session.key)) !== undefined);
});

// proves openid-rp-logout-3-3
test('303: the browser goes back when its client was told, or had its time; the session has ended before that (decision 33)', async () => {
  for (const patient of [true, false]) {
    const { promise: told, resolve: tell } = Promise.withResolvers<Posted>();
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    const pages = await testLogoutPages();
    pages.answer(async () => {
      call();
      return await told;
    });
    const client = await pages.client();
    const { cookie, session } = await pages.signedIn(client);
    pages.use(cookie);
    const dialog = await pages.dialog({
      id_token_hint: pages.idToken(client),
      post_logout_redirect_uri: HOME,
    });
    const answering = pages.choose(dialog, 'logout');
    await called;
    assert.equal(await pages.endUsers.storage.sessions.find(session.key), undefined);
    assert.equal(await Promise.race([answering, Promise.resolve('waits')]), 'waits');
    if (patient) tell(TOLD);
    else pages.tenant.clock.advance(DEFAULTS['logout.wait']);
    assert.equal((await answering).status, 303);
    assert.deepEqual(pages.outcomes, patient ? ['delivered'] : []);
    tell(TOLD);
    await pages.delivery.close();
    assert.deepEqual(pages.outcomes, ['delivered']);
  }
});

const OWN = { origin: 'https://op.example.com', 'sec-fetch-site': 'same-origin' };

const ROWS: readonly (readonly [what: string, different: (dialog: Dialog, other: Dialog) => Different])[] = [
  ['no form token', () => ({ form: { form_token: '' } })],
  ['a token of another page', (_, other) => ({ form: { form_token: other.form_token } })],
  ['a token that was changed', ({ form_token }) => ({ form: { form_token: changed(form_token) } })],
  [
    'the token in the query',
    ({ form_token }) => ({ form: { form_token: '' }, query: `form_token=${form_token}` }),
  ],
  ['another browser', () => ({ jar: new Map() })],
  ['a handle that is none', () => ({ handle: 'x' })],
  ['the handle of another page', (_, other) => ({ handle: other.handle })],
  ['another origin', () => ({ headers: { origin: 'https://evil.example' } })],
  ['the origin null', () => ({ headers: { origin: 'null' } })],
  [
    'the origin null from another site',
    () => ({ headers: { origin: 'null', 'sec-fetch-site': 'cross-site' } }),
  ],
  ['no origin and a strange referrer', () => ({ headers: { referer: 'https://evil.example/' } })],
  ['neither origin nor referrer', () => ({ headers: {} })],
  ['Sec-Fetch-Site: cross-site', () => ({ headers: { ...OWN, 'sec-fetch-site': 'cross-site' } })],
  ['Sec-Fetch-Site: same-site', () => ({ headers: { ...OWN, 'sec-fetch-site': 'same-site' } })],
  ['no choice', () => ({ form: { choice: '' } })],
  ['a choice that is none', () => ({ form: { choice: 'yes' } })],
];

/** Another token of the same length. */
function changed(token: string): string {
  return (token.startsWith('x') ? 'y' : 'x') + token.slice(1);
}

for (const [what, different] of ROWS) {
  // proves openid-rp-logout-6-1
  test(`POST /logout/{id} with ${what}: 400, and the session goes on (decision 31; H-161)`, async () => {
    const pages = await testLogoutPages();
    const client = await pages.client();
    const { cookie, session } = await pages.signedIn(client);
    pages.use(cookie);
    const other = await pages.dialog();
    const parameters = { id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME };
    const dialog = await pages.dialog(parameters);
    const answered = await pages.choose(dialog, 'logout', different(dialog, other));
    assert.equal(answered.status, 400);
    assertPage(answered);
    assert.deepEqual(answered.cookies, []);
    assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
    assert.equal((await pages.choose(dialog, 'logout')).status, 303, 'the page itself still works');
  });
}

test('400: an answer counts once: the back button and a second click have no effect (H-161)', async () => {
  const pages = await testLogoutPages();
  const dialog = await pages.dialog();
  assert.equal((await pages.choose(dialog, 'stay')).status, 200);
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  for (const choice of ['logout', 'stay']) assert.equal((await pages.choose(dialog, choice)).status, 400);
  assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
});

test('400: of two answers at once one is taken', async () => {
  const pages = await testLogoutPages();
  const { cookie } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  const dialog = await pages.dialog();
  const own = new Map(pages.jar);
  const answers = await Promise.all(
    [1, 2, 3].map(async () => await pages.choose(dialog, 'logout', { jar: new Map(own) })),
  );
  assert.deepEqual(answers.map(({ status }) => String(status)).toSorted(), ['200', '400', '400']);
  await pages.delivery.close();
  assert.equal(pages.sent.length, 1);
});

test('400: a page that waited too long has no effect (H-161)', async () => {
  const pages = await testLogoutPages();
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  const dialog = await pages.dialog();
  pages.endUsers.pass(901);
  assert.equal((await pages.choose(dialog, 'logout')).status, 400);
  assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
});

test('400: a sign-in after the page was shown: the page does not end the new session (H-161, H-176)', async () => {
  const pages = await testLogoutPages();
  const [before, after] = [await pages.signedIn(), await pages.signedIn()];
  for (const first of [undefined, before.cookie]) {
    if (first === undefined) pages.jar.delete(sessionCookieName());
    else pages.use(first);
    const dialog = await pages.dialog();
    pages.use(after.cookie);
    assert.equal((await pages.choose(dialog, 'logout')).status, 400);
    assert.ok((await pages.endUsers.storage.sessions.find(after.session.key)) !== undefined);
    pages.jar.delete(sessionCookieName());
  }
});

test('a form that is none: 400 (RFC 6749 §3.2)', async () => {
  const pages = await testLogoutPages();
  const dialog = await pages.dialog();
  const headers = { ...OWN, 'content-type': 'application/json' };
  assert.equal((await pages.choose(dialog, 'logout', { headers })).status, 400);
});

test('500: a fault before the session has ended: a page without its cause, and the answer can be given again', async () => {
  const cause = new Error('/var/lib/registry is full');
  const pages = await testLogoutPages();
  const { sessions } = pages.endUsers.storage;
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  const dialog = await pages.dialog();
  pages.tenant.watch.fail(cause, 'interactions.complete');
  const answered = await pages.choose(dialog, 'logout');
  assert.equal(answered.status, 500);
  assertPage(answered);
  assert.doesNotMatch(answered.body, /var\/lib/);
  assert.deepEqual(pages.faults, [cause]);
  assert.ok((await sessions.find(session.key)) !== undefined);
  pages.tenant.watch.recover();
  assert.equal((await pages.choose(dialog, 'logout')).status, 200);
});

test('a client that cannot be notified at once does not keep the end-user signed in: the browser goes back, and the log has the reason', async () => {
  const cause = new Error('/var/lib/registry is full');
  const pages = await testLogoutPages();
  const client = await pages.client();
  const { cookie, session } = await pages.signedIn(client);
  pages.use(cookie);
  const { sessions } = pages.endUsers.storage;
  pages.tenant.watch.fail(cause, 'logoutNotifications.take');
  const dialog = await pages.dialog({ id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME });
  assert.equal((await pages.choose(dialog, 'logout')).status, 303);
  assert.equal(await sessions.find(session.key), undefined);
  assert.equal(
    pages.endUsers.lines.find(({ members }) => members['cause'] === cause)?.message,
    'clients could not be notified of a logout at once',
  );
});
