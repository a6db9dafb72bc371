import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { ISSUER, testTenant } from '../../testing/tenant.ts';

test('GET /authorize, more requests from a network than may wait: 429 as a page with Retry-After, and nothing is kept (S-17; RFC 6585 §4)', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate-per-network': 2 } });
  const client = await tenant.register(RELYING_PARTY);
  const browser = browserOf(tenant);
  for (let count = 0; count < 2; count += 1)
    assert.equal((await browser.visit(authorizationUrl(client))).status, 303);
  const begun = tenant.watch.calls.filter((call) => call === 'interactions.begin').length;
  const refused = await browser.visit(authorizationUrl(client));
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '30');
  assert.equal(refused.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(refused.html, /30 seconds/);
  assert.equal(tenant.watch.calls.filter((call) => call === 'interactions.begin').length, begun);
  tenant.clock.advance(30);
  assert.equal((await browser.visit(authorizationUrl(client))).status, 303);
});

test('GET /authorize: whoever is signed in is not counted, nor is what is answered at once', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate-per-network': 1 } });
  const client = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  await ada.grant(client);
  const login = authorizationUrl(client, { prompt: 'login' });
  for (let count = 0; count < 3; count += 1)
    assert.match((await ada.browser.visit(login)).location ?? '', /\/interaction\//);
  const stranger = browserOf(tenant);
  const silent = authorizationUrl(client, { prompt: 'none' });
  for (let count = 0; count < 3; count += 1)
    assert.match((await stranger.visit(silent)).location ?? '', /error=login_required/);
  assert.equal((await stranger.visit(authorizationUrl(client))).status, 429);
});

test('POST /authorize, which is pushed for its client, is counted as well', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate': 1 } });
  const client = await tenant.register(RELYING_PARTY);
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  const browser = browserOf(tenant);
  assert.equal((await browser.visit(`${ISSUER}/authorize`, form)).status, 303);
  const refused = await browser.visit(`${ISSUER}/authorize`, form);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
});
