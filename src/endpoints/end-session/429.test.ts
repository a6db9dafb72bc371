import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertPage, testLogoutPages } from '../../testing/logout-pages.ts';

test('/logout of nobody, more often from a network than may wait: 429 as a page with Retry-After (RFC 6585 §4)', async () => {
  const pages = testLogoutPages({ interactionsPerMinute: 2 });
  assert.deepEqual([(await pages.get()).status, (await pages.post({})).status], [200, 200]);
  for (const refused of [await pages.get(), await pages.post({})]) {
    assert.equal(refused.status, 429);
    assert.equal(refused.headers['retry-after'], '30');
    assertPage(refused);
  }
});

test('whoever is signed in can always log out, however many strangers come from the same network', async () => {
  const pages = testLogoutPages({ interactionsPerMinute: 1 });
  assert.deepEqual([(await pages.get()).status, (await pages.get()).status], [200, 429]);
  const { cookie } = await pages.signedIn(await pages.client());
  pages.use(cookie);
  assert.equal((await pages.choose(await pages.dialog(), 'logout')).status, 200);
});
