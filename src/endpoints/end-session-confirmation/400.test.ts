import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOME } from '../../testing/logout.ts';
import {
  assertPage,
  type Dialog,
  type Different,
  sessionCookieName,
  testLogoutPages,
} from '../../testing/logout-pages.ts';

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
    const pages = testLogoutPages();
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

test('an answer is taken once: the back button and a second click end nothing (H-161)', async () => {
  const pages = testLogoutPages();
  const dialog = await pages.dialog();
  assert.equal((await pages.choose(dialog, 'stay')).status, 200);
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  for (const choice of ['logout', 'stay']) assert.equal((await pages.choose(dialog, choice)).status, 400);
  assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
});

test('of two answers at once one is taken', async () => {
  const pages = testLogoutPages();
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

test('a page that waited too long is answered in vain (H-161)', async () => {
  const pages = testLogoutPages();
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  const dialog = await pages.dialog();
  pages.endUsers.pass(901);
  assert.equal((await pages.choose(dialog, 'logout')).status, 400);
  assert.ok((await pages.endUsers.storage.sessions.find(session.key)) !== undefined);
});

test('somebody has signed in since the page was shown: the new session is not ended by it (H-161, H-176)', async () => {
  const pages = testLogoutPages();
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
  const pages = testLogoutPages();
  const dialog = await pages.dialog();
  const headers = { ...OWN, 'content-type': 'application/json' };
  assert.equal((await pages.choose(dialog, 'logout', { headers })).status, 400);
});
