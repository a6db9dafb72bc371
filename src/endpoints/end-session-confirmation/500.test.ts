import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOME } from '../../testing/logout.ts';
import { assertPage, testLogoutPages } from '../../testing/logout-pages.ts';

test('a fault before the session has ended: a page without its cause, and the answer can be given again', async () => {
  const cause = new Error('/var/lib/registry is full');
  const pages = testLogoutPages();
  const { sessions } = pages.endUsers.storage;
  const { cookie, session } = await pages.signedIn();
  pages.use(cookie);
  const dialog = await pages.dialog();
  const { interactions } = pages.endUsers;
  const store = interactions.interactions;
  Object.assign(interactions, {
    interactions: { ...store, complete: async () => await Promise.reject(cause) },
  });
  const answered = await pages.choose(dialog, 'logout');
  assert.equal(answered.status, 500);
  assertPage(answered);
  assert.doesNotMatch(answered.body, /var\/lib/);
  assert.deepEqual(pages.faults, [cause]);
  assert.ok((await sessions.find(session.key)) !== undefined);
  Object.assign(interactions, { interactions: store });
  assert.equal((await pages.choose(dialog, 'logout')).status, 200);
});

test('clients that cannot be told at once do not keep anybody signed in: the browser goes back, and the log has why', async () => {
  const cause = new Error('/var/lib/registry is full');
  const pages = testLogoutPages();
  const client = await pages.client();
  const { cookie, session } = await pages.signedIn(client);
  pages.use(cookie);
  const { logoutNotifications, sessions } = pages.endUsers.storage;
  Object.assign(logoutNotifications, { take: async () => await Promise.reject(cause) });
  const dialog = await pages.dialog({ id_token_hint: pages.idToken(client), post_logout_redirect_uri: HOME });
  assert.equal((await pages.choose(dialog, 'logout')).status, 303);
  assert.equal(await sessions.find(session.key), undefined);
  assert.equal(
    pages.endUsers.lines.find(({ members }) => members['cause'] === cause)?.message,
    'clients could not be told of a logout at once',
  );
});
