import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOME } from '../../testing/logout.ts';
import { testLogoutPages } from '../../testing/logout-pages.ts';

test('POST /logout by a page of another site, to which browsers add no cookies: they come again, with them (RFC 6265bis §5.6.7.1)', async () => {
  const pages = testLogoutPages();
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
  assert.match(page.body, /end your session here/);
  assert.match(page.headers['content-security-policy'] ?? '', /form-action 'self' https:\/\/rp\.example;/);
});
