import assert from 'node:assert/strict';
import { test } from 'node:test';
import { authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

test('GET /authorize, the storage fails: 500 as a page without the cause, which is in the report', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const cause = new Error('disk is full: /var/lib');
  tenant.watch.fail(cause, 'interactions.begin');
  const page = await browserOf(tenant).visit(authorizationUrl(client));
  assert.equal(page.status, 500);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.doesNotMatch(page.html, /disk|var/);
  assert.deepEqual(tenant.reports, [cause]);
});
