import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOME } from '../../testing/logout.ts';
import { assertPage, sessionCookieName, testLogoutPages } from '../../testing/logout-pages.ts';
import { EVENT } from '../../testing/storage/stored-examples.ts';

// proves openid-rp-logout-2-6
test('yes: the session is dead at once, its cookie is taken back, and clients are told (decision 31; H-175)', async () => {
  const pages = testLogoutPages();
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
    [event?.action, event?.actor, event?.detail],
    ['session.end', 'end-user', `sub ada: sid ${session.sid}`],
  );
  await pages.delivery.close();
  assert.equal(pages.sent.length, 1);
  pages.use(cookie);
  assert.match((await pages.dialog()).body, /You are not signed in here/, 'the old cookie opens nothing');
});

// proves openid-rp-logout-2-6
test('no: the session goes on (H-174)', async () => {
  const pages = testLogoutPages();
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
  test(`${choice} without a session is no error (OpenID Connect RP-Initiated Logout 1.0 §4)`, async () => {
    const pages = testLogoutPages();
    const answered = await pages.choose(await pages.dialog(), choice);
    assert.equal(answered.status, 200);
    assert.match(answered.body, /You are not signed in/);
  });
}

test('the client is deleted between the question and the answer: a page, and no redirection (H-177)', async () => {
  const pages = testLogoutPages();
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

test('a session that has expired meanwhile has ended, and its clients are told', async () => {
  const pages = testLogoutPages();
  const { cookie } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  pages.endUsers.pass(3000);
  const dialog = await pages.dialog();
  pages.endUsers.pass(800);
  assert.match((await pages.choose(dialog, 'logout')).body, /You are signed out/);
  await pages.delivery.close();
  assert.equal(pages.sent.length, 1);
});
