import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answeredTo,
  aPerson,
  authorizationUrl,
  browserOf,
  inFrontOf,
  RELYING_PARTY,
} from '../../testing/person.ts';
import { ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const ada = await aPerson(tenant);
const named = (cookies: ReadonlyMap<string, string>, purpose: string): string | undefined =>
  [...cookies].find(([name]) => name.startsWith(`__Host-chancery-${purpose}-`))?.[1];

test('a name and password that belong together: a session, and 303 to the client (OpenID Connect Core 1.0 §3.1.2.5)', async () => {
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const sent = await signIn(await ask(client));
  assert.equal(sent.status, 303);
  assert.deepEqual(Object.keys(answeredTo(sent)), ['code', 'state', 'iss']);
  assert.match(named(browser.cookies(), 'session') ?? '', /^[A-Za-z0-9]{43}$/);
  assert.match(named(browser.cookies(), 'browser') ?? '', /^[A-Za-z0-9]{43}$/);
});

test('signing in again is a new session id: what somebody knew of the old one is worth nothing (S-08)', async () => {
  await ada.grant(client);
  const before = named(ada.browser.cookies(), 'session');
  const page = await ada.ask(client, { prompt: 'login' });
  assert.match(page.html, /name="password"/);
  await ada.signIn(page);
  const now = named(ada.browser.cookies(), 'session');
  assert.notEqual(now, before);
});

// proves rfc6749-4.1.2.1-1
test('cancelled at the sign-in page: access_denied (RFC 6749 §4.1.2.1)', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const sent = await browser.submit(await ask(client), 'cancel');
  assert.equal(answeredTo(sent)['error'], 'access_denied');
  assert.equal(answeredTo(sent)['state'], 'af0ifjsldkj');
});

// proves openid-core-3.1.2.4-1
test('agreed: remembered for what was agreed to, and asked again for more (OpenID Connect Core 1.0 §3.1.2.4)', async () => {
  const strict = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await strict.register(RELYING_PARTY);
  const person = await aPerson(strict);
  assert.ok(answeredTo(await person.grant(relying))['code']);
  assert.ok(answeredTo(await person.ask(relying))['code'], 'not asked again');
  const more = await person.ask(relying, { scope: 'openid email' });
  assert.match(more.html, /value="allow"/);
  const denied = await person.browser.submit(more, 'deny');
  assert.equal(answeredTo(denied)['error'], 'access_denied');
  assert.match(
    (await person.ask(relying, { scope: 'openid email' })).html,
    /value="allow"/,
    'a no is not remembered',
  );
});

test('agreed for one resource server: asked again for another one, and not again for both (RFC 8707 §2.1)', async () => {
  const strict = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await strict.register(RELYING_PARTY);
  const person = await aPerson(strict);
  const [one, two] = ['https://api.example/one', 'https://api.example/two'];
  const asked = { scope: 'openid', resource: one };
  const page = await person.signIn(await person.ask(relying, asked));
  assert.match(page.html, /https:\/\/api\.example\/one/);
  assert.ok(answeredTo(await person.browser.submit(page, 'allow'))['code']);
  assert.ok(answeredTo(await person.ask(relying, asked))['code'], 'remembered');
  const more = await person.ask(relying, { ...asked, resource: two });
  assert.match(more.html, /value="allow"/);
  assert.ok(answeredTo(await person.browser.submit(more, 'allow'))['code']);
  const both = `${authorizationUrl(relying, asked)}&resource=${encodeURIComponent(two)}`;
  assert.ok(answeredTo(await person.browser.open(both))['code']);
});

test('two tabs: each has its own page, and finishing one does not disturb the other', async () => {
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const [one, other] = [await ask(client, { state: 'one' }), await ask(client, { state: 'other' })];
  assert.equal(answeredTo(await signIn(other))['state'], 'other');
  const shown = await browser.visit(one.url);
  assert.equal(answeredTo(shown)['state'], 'one', 'signed in meanwhile: nothing is left to ask');
});

test('two tabs: the sign-in page of one still works after the other has signed in', async () => {
  const { ask, signIn } = inFrontOf(browserOf(tenant));
  const [one, other] = [await ask(client, { state: 'one' }), await ask(client, { state: 'other' })];
  await signIn(other);
  assert.equal(answeredTo(await signIn(one))['state'], 'one');
});

// proves openid-core-3.1.2.2-1
test('somebody else signs in than the hint is about: login_required (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const claims = JSON.stringify({ id_token: { sub: { value: ada.account.sub } } });
  const sent = await eve.signIn(await eve.ask(client, { claims }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('scope that is taken from the client while its page waits is not granted (RFC 6749 §3.3)', async () => {
  const own = testTenant();
  const relying = await own.register({ ...RELYING_PARTY, scope: 'openid email' });
  const person = await aPerson(own);
  const page = await person.ask(relying, { scope: 'openid email' });
  await own.send('client-update', {
    segment: relying.client_id,
    bearer: relying.registration_access_token,
    json: { ...RELYING_PARTY, scope: 'openid' },
  });
  assert.equal(answeredTo(await person.signIn(page))['error'], 'invalid_scope');
});

test('a choice that the page does not have: back to the page as it stands now', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const page = await ask(client);
  const back = await browser.visit(page.url, { choice: 'allow' });
  assert.equal(back.status, 303);
  assert.equal(back.location, page.url);
  assert.ok(back.location?.startsWith(`${ISSUER}/interaction/`));
});
