import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPerson, browserOf, inFrontOf, RELYING_PARTY } from '../../testing/person.ts';
import { testTenant } from '../../testing/tenant.ts';

const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });

const client = await tenant.register(RELYING_PARTY);

const open = await tenant.send('client-registration', {
  json: { ...RELYING_PARTY, client_name: 'Anybody <b>', 'client_name#de': 'Irgendwer' },
});

const stranger = {
  client_id: String(open.json['client_id']),
  client_secret: String(open.json['client_secret']),
  registration_access_token: '',
  members: {},
};

const ada = await aPerson(tenant);

// proves openid-core-3.1.2.1-6, openid-core-3.1.2.3-1
test('200: GET /interaction/{id}: the sign-in page, with the headers of every page (H-185)', async () => {
  const page = await inFrontOf(browserOf(tenant)).ask(client, { login_hint: 'ada"@x', ui_locales: 'de' });
  assert.equal(page.status, 200);
  assert.match(page.html, /<html lang="de">/);
  assert.match(page.html, /Paper Clips/);
  assert.match(page.html, /client\.example/, 'where one is sent back to');
  assert.match(page.html, /value="ada&#34;@x"/);
  assert.equal(
    page.headers.get('content-security-policy'),
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' https://client.example; frame-ancestors 'none'; base-uri 'none'",
  );
  assert.equal(page.headers.get('x-frame-options'), 'DENY');
  assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
  assert.equal(page.headers.get('cache-control'), 'no-store');
});

test('200: a name and password that do not belong together: the page again, with one answer for every reason', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const page = await ask(client);
  const wrong = await browser.submit(page, 'sign-in', { username: 'Ada', password: 'wrong password' });
  const unknown = await browser.submit(page, 'sign-in', { username: 'Nobody', password: 'wrong password' });
  assert.equal(wrong.status, 200);
  assert.match(wrong.html, /role="alert"/);
  assert.equal(wrong.html, unknown.html);
  assert.doesNotMatch([...browser.cookies().keys()].join(), /session/);
});

// proves openid-core-3.1.2.4-1
test('200: a client of open registration: the consent page names the client and what it asks for', async () => {
  const { ask, signIn } = inFrontOf(browserOf(tenant));
  const page = await signIn(
    await ask(stranger, { scope: 'openid email', claims: '{"userinfo":{"birthdate":null}}' }),
  );
  assert.equal(page.status, 200);
  assert.match(page.html, /value="allow"/);
  assert.match(page.html, /Anybody &lt;b&gt;/);
  assert.match(page.html, /class="warning"/);
  assert.match(page.html, /birthdate/);
  assert.match(page.html, /Ada/);
});

// proves openid-core-3.1.2.1-3
test('200: a client of the operator: no consent page, except for offline_access and prompt consent (sign-in.consent)', async () => {
  assert.notEqual((await ada.grant(client)).location, undefined);
  for (const change of [{ scope: 'openid offline_access' }, { prompt: 'consent' }])
    assert.match((await ada.ask(client, change)).html, /value="allow"/);
});

test('200: sign-in.consent always: a consent page for every client', async () => {
  const strict = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await strict.register(RELYING_PARTY);
  const person = await aPerson(strict);
  assert.match((await person.signIn(await person.ask(relying))).html, /value="allow"/);
});

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

test('the storage fails during a sign-in: 500 as a page, and the end-user can answer the first page once the storage is back', async () => {
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
