import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addAccount } from '../../sessions/manage-account.ts';
import { ACTOR, ADA } from '../../testing/end-users.ts';
import { HOME } from '../../testing/logout.ts';
import { assertPage, sessionCookieName, testLogoutPages } from '../../testing/logout-pages.ts';

test('200: GET /logout without session and parameters: the dialog (H-159)', async () => {
  const pages = await testLogoutPages();
  const page = await pages.dialog();
  assertPage(page);
  assert.match(page.body, /There is no session to end/);
  assert.doesNotMatch(page.body, /value="logout"|Stay signed in|Sign out\?/);
  assert.match(page.body, /value="stay">Continue/, 'the way back');
  assert.doesNotMatch(page.body, /class="notice"|class="client"/);
});

// proves openid-rp-logout-2-1
test('200: GET /logout with a session: the dialog names its end-user, and the session goes on (decision 31; H-159)', async () => {
  const pages = await testLogoutPages();
  const { sub } = await addAccount(pages.endUsers.accounts, ADA, ACTOR);
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  for (const headers of [{}, { 'sec-fetch-dest': 'image' }, { 'sec-purpose': 'prefetch' }]) {
    const page = await pages.get({}, headers);
    assert.equal(page.status, 200);
    assert.match(page.body, /Sign out of this server too, ada\?/i);
  }
  assert.deepEqual((await pages.endUsers.storage.sessions.find(session.key))?.sid, session.sid);
  assert.ok(sub.length > 0);
});

test('200: with a hint and a registered address: the dialog names the client, and the form may lead to the address (H-185)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const id_token_hint = pages.idToken(client);
  const page = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME, state: '"><b>s' });
  assertPage(page, ' https://rp.example');
  assert.match(page.body, /The &lt;b&gt;Shop&lt;\/b&gt;/);
  assert.match(page.body, /<span class="host">rp\.example<\/span>/);
  assert.ok(!page.body.includes('<b>s'), 'the state stays on the server');
  assert.ok(!page.body.includes(id_token_hint), 'as does the hint');
});

test('200: the page shows no picture of a client, and none of its texts as a link (H-180)', async () => {
  const pages = await testLogoutPages();
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
  test(`200: an address with ${what}: the dialog without it, an error id, and no part of the address on the page (decision 32)`, async () => {
    const pages = await testLogoutPages();
    const page = await pages.dialog({ ...parameters, post_logout_redirect_uri: 'https://evil.example/' });
    assertPage(page);
    assert.ok(!page.body.includes('evil.example'));
    assert.match(page.body, /<code>request-1<\/code>/);
    assert.doesNotMatch(page.body, /id_token_hint/);
    const line = pages.endUsers.lines.find(({ message }) => message === 'logout without redirection');
    assert.match(String(line?.members['detail']), /id_token_hint/);
    assert.equal(line?.members['reason'], 'logout-redirect');
    assert.deepEqual(line?.members['value'], { post_logout_redirect_uri: "'https://evil.example/'" });
    assert.equal(line?.members['request_id'], 'request-1');
  });
}

test('200: in development the page says why, and names the nearest registered address (users want 6)', async () => {
  const pages = await testLogoutPages({ 'pages.error-details': true });
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
test('200: POST /logout with a form: the same dialog (OpenID Connect RP-Initiated Logout 1.0 §2; H-184)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const { cookie } = await pages.signedIn(client);
  pages.use(cookie);
  const form = { id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME };
  for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'cross-site' }]) {
    const page = await pages.post(form, headers);
    assert.equal(page.status, 200);
    assertPage(page, ' https://rp.example');
    assert.match(page.body, /Sign out of this server too/);
  }
});

// proves openid-rp-logout-2-5
test('200: ui_locales chooses the language, and is never an error (OpenID Connect RP-Initiated Logout 1.0 §2; H-182)', async () => {
  const pages = await testLogoutPages();
  assert.match((await pages.dialog({ ui_locales: 'xx de' })).body, /<html lang="de">/);
  for (const ui_locales of ['../../etc/passwd', 'constructor', 'en '.repeat(5000), '%00']) {
    assert.match(
      (await pages.dialog({ ui_locales: ui_locales.replace('%00', 'x') })).body,
      /<html lang="en">/,
    );
  }
});

test('200: only an exact cookie of ours is a session (H-181)', async () => {
  const pages = await testLogoutPages();
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
    assert.match(page.body, /There is no session to end/, header.slice(0, 80));
  }
  assert.match(
    (await pages.get({}, { cookie: `a=b; ${name}=${cookie}; c=d` })).body,
    /Sign out of this server too/,
  );
});

test('200: a browser that waits for other answers keeps the cookie that they are bound to', async () => {
  const pages = await testLogoutPages();
  const first = await pages.dialog();
  assert.equal(first.cookies.length, 1);
  assert.match(first.cookies[0] ?? '', /; HttpOnly; SameSite=Lax/);
  const second = await pages.dialog();
  assert.deepEqual(second.cookies, []);
  assert.notEqual(first.handle, second.handle);
});

test('303: POST /logout by a page of another site, to which browsers add no cookies: they come again, with them (RFC 6265bis §5.6.7.1)', async () => {
  const pages = await testLogoutPages();
  const client = await pages.client();
  const form = {
    id_token_hint: pages.idToken(client),
    post_logout_redirect_uri: HOME,
    state: 'a b&c',
    odd: 'x',
  };
  const answered = await pages.post(form, { 'sec-fetch-site': 'cross-site' });
  assert.equal(answered.status, 303);
  assert.equal(answered.body, '');
  assert.deepEqual(answered.cookies, [], 'the cookie of the pages that wait is not replaced');
  const location = new URL(answered.headers['location'] ?? '');
  assert.equal(location.origin + location.pathname, 'https://op.example.com/c2/logout');
  const { odd: _, ...known } = form;
  assert.deepEqual(Object.fromEntries(location.searchParams), known);
  assert.equal(answered.headers['cache-control'], 'no-store');
  assert.equal(answered.headers['referrer-policy'], 'no-referrer');
  const { cookie } = await pages.signedIn(client);
  pages.use(cookie);
  const page = await pages.get(location.search.slice(1));
  assert.match(page.body, /Sign out of this server too/);
  assert.match(page.headers['content-security-policy'] ?? '', /form-action 'self' https:\/\/rp\.example;/);
});

const ROWS: readonly (readonly [what: string, query: string])[] = [
  [
    'an address twice (H-166)',
    'post_logout_redirect_uri=https://rp.example/&post_logout_redirect_uri=https://evil',
  ],
  ['a hint twice', 'id_token_hint=a&id_token_hint=b'],
  ['a state of more than 1,024 characters (H-171)', `state=${'x'.repeat(1025)}`],
  ['invalid UTF-8 (H-171)', 'state=%ff'],
  ['a lone surrogate (H-171)', 'state=%ed%a0%80'],
  ['U+0000 (H-171)', 'state=%00'],
  ['a bad escape', 'state=%'],
  ['too many parameters', 'a=b&'.repeat(40)],
];

for (const [what, query] of ROWS) {
  // proves openid-rp-logout-4-1
  test(`/logout with ${what}: 400, a page that leads nowhere (OpenID Connect RP-Initiated Logout 1.0 §4)`, async () => {
    const pages = await testLogoutPages();
    for (const answered of [await pages.get(query), await pages.post(query)]) {
      assert.equal(answered.status, 400);
      assertPage(answered);
      assert.match(answered.body, /<code>invalid_request<\/code>/);
      assert.match(answered.body, /<code>request-1<\/code>/);
      assert.doesNotMatch(answered.body, /evil|<form|more than once/);
      assert.equal(answered.headers['location'], undefined);
    }
  });
}

test('400: a name that is none of ours, such as post_logout_redirect_uri[], is not looked at (H-166)', async () => {
  const pages = await testLogoutPages();
  const page = await pages.get(
    'post_logout_redirect_uri[]=https://evil&post_logout_redirect_uri[]=https://evil',
  );
  assert.equal(page.status, 200);
  assertPage(page);
});

test('400: in development the page says what was wrong', async () => {
  const pages = await testLogoutPages({ 'pages.error-details': true });
  assert.match((await pages.get('state=a&state=b')).body, /state is given more than once/);
});

test('/logout without a session, more often from a network than may wait: 429 as a page with Retry-After (RFC 6585 §4)', async () => {
  const pages = await testLogoutPages({ 'interaction.rate-per-network': 2 });
  assert.deepEqual([(await pages.get()).status, (await pages.post({})).status], [200, 200]);
  for (const refused of [await pages.get(), await pages.post({})]) {
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '30');
    assertPage(refused);
  }
});

test('429: /logout asks the limit before it verifies the hint and compares the address (H-233)', async () => {
  const pages = await testLogoutPages({ 'interaction.rate-per-network': 1 });
  const asked = { id_token_hint: 'x.y.z', post_logout_redirect_uri: HOME };
  const compared = (): number =>
    pages.endUsers.lines.filter(({ message }) => message === 'logout without redirection').length;
  assert.deepEqual([(await pages.get(asked)).status, compared()], [200, 1]);
  assert.deepEqual([(await pages.get(asked)).status, compared()], [429, 1]);
});

test('a signed-in end-user can always log out, however many strangers come from the same network', async () => {
  const pages = await testLogoutPages({ 'interaction.rate-per-network': 1 });
  assert.deepEqual([(await pages.get()).status, (await pages.get()).status], [200, 429]);
  const { cookie } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  assert.equal((await pages.choose(await pages.dialog(), 'logout')).status, 200);
});

test('500: /logout, a fault: a page without its cause; only the report has it', async () => {
  const pages = await testLogoutPages({ 'pages.error-details': true });
  const cause = new Error('/var/lib/registry is full');
  const id_token_hint = pages.idToken(await pages.client());
  pages.tenant.watch.fail(cause, 'clients.find');
  for (const answered of [await pages.get({ id_token_hint }), await pages.post({ id_token_hint })]) {
    assert.equal(answered.status, 500);
    assertPage(answered);
    assert.doesNotMatch(answered.body, /var\/lib/);
  }
  assert.deepEqual(pages.faults, [cause, cause]);
});
