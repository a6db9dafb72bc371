import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addAccount } from '../../sessions/manage-account.ts';
import { ACTOR, ADA } from '../../testing/end-users.ts';
import { HOME } from '../../testing/logout.ts';
import { assertPage, sessionCookieName, testLogoutPages } from '../../testing/logout-pages.ts';

test('GET /logout without anything: the dialog, and nothing to log out of (H-159)', async () => {
  const pages = testLogoutPages();
  const page = await pages.dialog();
  assertPage(page);
  assert.match(page.body, /You are not signed in here/);
  assert.doesNotMatch(page.body, /value="logout"|Stay signed in|Sign out\?/);
  assert.match(page.body, /value="stay">Continue/, 'the way back');
  assert.doesNotMatch(page.body, /class="notice"|class="client"/);
});

// proves openid-rp-logout-2-1
test('GET /logout with a session: the dialog says whose it is, and the session goes on (decision 31; H-159)', async () => {
  const pages = testLogoutPages();
  const { sub } = await addAccount(pages.endUsers.accounts, ADA, ACTOR);
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  for (const headers of [{}, { 'sec-fetch-dest': 'image' }, { 'sec-purpose': 'prefetch' }]) {
    const page = await pages.get({}, headers);
    assert.equal(page.status, 200);
    assert.match(page.body, /end your session here, ada\?/i);
  }
  assert.deepEqual((await pages.endUsers.storage.sessions.find(session.key))?.sid, session.sid);
  assert.ok(sub.length > 0);
});

test('with a hint and a registered address: who asks, and the address among those the form may lead to (H-185)', async () => {
  const pages = testLogoutPages();
  const client = await pages.client();
  const id_token_hint = pages.idToken(client);
  const page = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME, state: '"><b>s' });
  assertPage(page, ' https://rp.example');
  assert.match(page.body, /The &lt;b&gt;Shop&lt;\/b&gt;/);
  assert.match(page.body, /<span class="host">rp\.example<\/span>/);
  assert.ok(!page.body.includes('<b>s'), 'the state stays on the server');
  assert.ok(!page.body.includes(id_token_hint), 'as does the hint');
});

test('the page shows no picture of a client, and nothing of it as an address (H-180)', async () => {
  const pages = testLogoutPages();
  const client = await pages.client({
    logo_uri: 'https://rp.example/logo.png',
    client_name: '<img src=x onerror=a()>',
  });
  const page = await pages.dialog({ id_token_hint: pages.idToken(client) });
  assertPage(page);
  assert.doesNotMatch(page.body, /<img|logo\.png|href="https/);
});

for (const [what, parameters] of [
  ['no hint (H-163)', {}],
  ['a hint that does not hold (H-167)', { id_token_hint: 'x.y.z' }],
] as const) {
  // proves openid-rp-logout-3-2
  test(`an address with ${what}: the dialog without it, an error id, and nothing of it on the page (decision 32)`, async () => {
    const pages = testLogoutPages();
    const page = await pages.dialog({ ...parameters, post_logout_redirect_uri: 'https://evil.example/' });
    assertPage(page);
    assert.ok(!page.body.includes('evil.example'));
    assert.match(page.body, /<code>request-1<\/code>/);
    assert.doesNotMatch(page.body, /id_token_hint/);
    const line = pages.endUsers.lines.find(({ message }) => message === 'logout without redirection');
    assert.match(String(line?.members['reason']), /id_token_hint/);
    assert.equal(line?.members['request_id'], 'request-1');
  });
}

test('in development the page says why, and names the nearest registered address (users want 6)', async () => {
  const pages = testLogoutPages({ showErrorDetails: true });
  const client = await pages.client();
  const slip = { id_token_hint: pages.idToken(client), post_logout_redirect_uri: `${HOME}/` };
  const page = await pages.dialog(slip);
  assert.match(page.body, /did you mean https:\/\/rp\.example\/signed-out\?/);
  assert.match(
    (await pages.dialog({ post_logout_redirect_uri: HOME })).body,
    /the request has no id_token_hint/,
  );
});

// proves openid-rp-logout-2-1
test('POST /logout with a form: the same dialog (OpenID Connect RP-Initiated Logout 1.0 §2; H-184)', async () => {
  const pages = testLogoutPages();
  const client = await pages.client();
  const { cookie } = await pages.signedIn(client);
  pages.use(cookie);
  const form = { id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME };
  for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'cross-site' }]) {
    const page = await pages.post(form, headers);
    assert.equal(page.status, 200);
    assertPage(page, ' https://rp.example');
    assert.match(page.body, /end your session here/);
  }
});

// proves openid-rp-logout-2-5
test('ui_locales chooses the language, and is never an error (OpenID Connect RP-Initiated Logout 1.0 §2; H-182)', async () => {
  const pages = testLogoutPages();
  assert.match((await pages.dialog({ ui_locales: 'xx de' })).body, /<html lang="de">/);
  for (const ui_locales of ['../../etc/passwd', 'constructor', 'en '.repeat(5000), '%00']) {
    assert.match(
      (await pages.dialog({ ui_locales: ui_locales.replace('%00', 'x') })).body,
      /<html lang="en">/,
    );
  }
});

test('only an exact cookie of ours is a session (H-181)', async () => {
  const pages = testLogoutPages();
  const { cookie } = await pages.signedIn();
  const name = sessionCookieName();
  for (const header of [
    `${name}=${cookie}; ${name}=${cookie}`,
    `${name}=${cookie.slice(0, -1)}`,
    `${name}=${cookie}x`,
    `${name.replace('__Host-', '')}=${cookie}`,
    `${name}=${'x'.repeat(8000)}`,
    Array.from({ length: 200 }, (_, index) => `a${index}=b`).join('; '),
  ]) {
    const page = await pages.get({}, { cookie: header });
    assert.match(page.body, /You are not signed in here/, header.slice(0, 80));
  }
  assert.match(
    (await pages.get({}, { cookie: `a=b; ${name}=${cookie}; c=d` })).body,
    /end your session here/,
  );
});

test('a browser that waits for other answers keeps the cookie that they are bound to', async () => {
  const pages = testLogoutPages();
  const first = await pages.dialog();
  assert.equal(first.cookies.length, 1);
  assert.match(first.cookies[0] ?? '', /; HttpOnly; SameSite=Lax/);
  const second = await pages.dialog();
  assert.deepEqual(second.cookies, []);
  assert.notEqual(first.handle, second.handle);
});
