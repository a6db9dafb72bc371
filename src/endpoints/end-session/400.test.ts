import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertPage, testLogoutPages } from '../../testing/logout-pages.ts';

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
    const pages = testLogoutPages();
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

test('a name that is none of ours, such as post_logout_redirect_uri[], is not looked at (H-166)', async () => {
  const pages = testLogoutPages();
  const page = await pages.get(
    'post_logout_redirect_uri[]=https://evil&post_logout_redirect_uri[]=https://evil',
  );
  assert.equal(page.status, 200);
  assertPage(page);
});

test('in development the page says what was wrong', async () => {
  const pages = testLogoutPages({ showErrorDetails: true });
  assert.match((await pages.get('state=a&state=b')).body, /state is given more than once/);
});
