import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPerson, browserOf, inFrontOf, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

test('too many attempts: 429 with the page and Retry-After, the right password too, and the owner’s browser goes on', async () => {
  const tenant = testTenant({ settings: { 'sign-in.attempts-per-account-and-network': 2 } });
  const client = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  await ada.grant(client);
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const page = await ask(client);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.equal((await browser.submit(page, 'sign-in', { username: 'Ada', password: 'guess' })).status, 200);
  }
  const refused = await signIn(page);
  assert.equal(refused.status, 429);
  assert.match(refused.headers.get('retry-after') ?? '', /^[1-9][0-9]*$/);
  assert.match(refused.html, /name="password"/);
  const again = await ada.signIn(await ada.ask(client, { prompt: 'login' }));
  assert.equal(again.status, 303, 'not locked out');
});
