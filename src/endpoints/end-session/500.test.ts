import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertPage, testLogoutPages } from '../../testing/logout-pages.ts';

test('/logout, a fault: a page without its cause; only the report has it', async () => {
  const pages = testLogoutPages({ showErrorDetails: true });
  const cause = new Error('/var/lib/registry is full');
  const broken = testLogoutPages({
    showErrorDetails: true,
    clients: {
      find: () => {
        throw cause;
      },
    },
  });
  const id_token_hint = pages.idToken(await pages.client());
  for (const answered of [await broken.get({ id_token_hint }), await broken.post({ id_token_hint })]) {
    assert.equal(answered.status, 500);
    assertPage(answered);
    assert.doesNotMatch(answered.body, /var\/lib/);
  }
  assert.deepEqual(broken.faults, [cause, cause]);
});
