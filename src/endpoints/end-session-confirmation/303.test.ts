import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Posted } from '../../ports/outbound-http.ts';
import { HOME, TOLD } from '../../testing/logout.ts';
import { testLogoutPages } from '../../testing/logout-pages.ts';

for (const choice of ['logout', 'stay']) {
  for (const session of ['a', 'no']) {
    // proves openid-rp-logout-3-4
    test(`${choice} with ${session} session: the browser goes back, whatever the choice was, with the state (decision 33; H-174)`, async () => {
      const pages = testLogoutPages();
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

test('what is sent with the answer besides is not looked at: the page’s own request counts (decision 31; H-178)', async () => {
  const pages = testLogoutPages();
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

test('two tabs of two clients: the one that is answered decides where the browser goes (H-179)', async () => {
  const pages = testLogoutPages();
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
test('a hint of somebody else’s session: the session of the browser is what is asked about, and ended (H-176)', async () => {
  const pages = testLogoutPages();
  const client = await pages.client();
  const [mine, theirs] = [await pages.signedIn(client), await pages.signedIn(client)];
  pages.use(mine.cookie);
  const id_token_hint = pages.idToken(client, { sub: 'bob', sid: theirs.session.sid });
  const dialog = await pages.dialog({ id_token_hint, post_logout_redirect_uri: HOME });
  assert.match(dialog.body, /end your session here, ada\?/);
  assert.equal((await pages.choose(dialog, 'logout')).status, 303);
  const { sessions } = pages.endUsers.storage;
  assert.equal(await sessions.find(mine.session.key), undefined);
  assert.ok((await sessions.find(theirs.session.key)) !== undefined);
});

// proves openid-rp-logout-3-3
test('the browser goes back when its client was told, or had its time; the session has ended before that (decision 33)', async () => {
  for (const patient of [true, false]) {
    const { promise: patience, resolve: impatient } = Promise.withResolvers<void>();
    const { promise: told, resolve: tell } = Promise.withResolvers<Posted>();
    const { promise: called, resolve: call } = Promise.withResolvers<void>();
    const pages = testLogoutPages({ patience: async () => await patience });
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
    else impatient();
    assert.equal((await answering).status, 303);
    assert.deepEqual(pages.outcomes, patient ? ['delivered'] : []);
    tell(TOLD);
    await pages.delivery.close();
    assert.deepEqual(pages.outcomes, ['delivered']);
  }
});
