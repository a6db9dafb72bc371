import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPerson, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

test('the storage fails while somebody signs in: 500 as a page, and the page can be answered once it is back', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  const page = await ada.ask(client);
  const cause = new Error('database is locked');
  tenant.watch.fail(cause, 'sessions.create');
  const failed = await ada.signIn(page);
  assert.equal(failed.status, 500);
  assert.doesNotMatch(failed.html, /locked/);
  assert.deepEqual(tenant.reports, [cause]);
  tenant.watch.recover();
  assert.equal((await ada.signIn(page)).status, 303);
});
