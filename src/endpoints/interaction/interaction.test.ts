import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from '../../../test/program/plain-browser.ts';
import { ADA } from '../../testing/end-users.ts';
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

test('303: a name and password that belong together: a session, and 303 to the client (OpenID Connect Core 1.0 §3.1.2.5)', async () => {
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const sent = await signIn(await ask(client));
  assert.equal(sent.status, 303);
  assert.deepEqual(Object.keys(answeredTo(sent)), ['code', 'state', 'iss']);
  assert.match(named(browser.cookies(), 'session') ?? '', /^[A-Za-z0-9]{43}$/);
  assert.match(named(browser.cookies(), 'browser') ?? '', /^[A-Za-z0-9]{43}$/);
});

test('303: signing in again gives a new session id, and the old one is worthless (S-08)', async () => {
  await ada.grant(client);
  const before = named(ada.browser.cookies(), 'session');
  const page = await ada.ask(client, { prompt: 'login' });
  assert.match(page.html, /name="password"/);
  await ada.signIn(page);
  const now = named(ada.browser.cookies(), 'session');
  assert.notEqual(now, before);
});

// proves rfc6749-4.1.2.1-1
test('303: cancelled at the sign-in page: access_denied (RFC 6749 §4.1.2.1)', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const sent = await browser.submit(await ask(client), 'cancel');
  assert.equal(answeredTo(sent)['error'], 'access_denied');
  assert.equal(answeredTo(sent)['state'], 'af0ifjsldkj');
});

// proves openid-core-3.1.2.4-1
test('303: a consent is remembered for its scope, and more scope is asked for again (OpenID Connect Core 1.0 §3.1.2.4)', async () => {
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

test('303: a consent for one resource server: the page asks again for another one, and then never for both (RFC 8707 §2.1)', async () => {
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

test('303: two tabs: each has its own page, and finishing one does not disturb the other', async () => {
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const [one, other] = [await ask(client, { state: 'one' }), await ask(client, { state: 'other' })];
  assert.equal(answeredTo(await signIn(other))['state'], 'other');
  const shown = await browser.visit(one.url);
  assert.equal(answeredTo(shown)['state'], 'one', 'signed in meanwhile: nothing is left to ask');
});

test('303: two tabs: the sign-in page of one still works after the other has signed in', async () => {
  const { ask, signIn } = inFrontOf(browserOf(tenant));
  const [one, other] = [await ask(client, { state: 'one' }), await ask(client, { state: 'other' })];
  await signIn(other);
  assert.equal(answeredTo(await signIn(one))['state'], 'one');
});

// proves openid-core-3.1.2.2-1
test('303: a different end-user than the hint names signs in: login_required (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const eve = await aPerson(tenant, { username: 'Eve', password: 'battery staple', claims: {} });
  const claims = JSON.stringify({ id_token: { sub: { value: ada.account.sub } } });
  const sent = await eve.signIn(await eve.ask(client, { claims }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('303: scope that is taken from the client while its page waits is not granted (RFC 6749 §3.3)', async () => {
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

test('303: a choice that the page does not have: back to the page as it stands now', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const page = await ask(client);
  const back = await browser.visit(page.url, { choice: 'allow' });
  assert.equal(back.status, 303);
  assert.equal(back.location, page.url);
  assert.ok(back.location?.startsWith(`${ISSUER}/interaction/`));
});

test('400: the back button: a page that was answered says so, and does nothing', async () => {
  const { browser, ask, signIn } = inFrontOf(browserOf(tenant));
  const page = await ask(client);
  await signIn(page);
  for (const again of [await browser.visit(page.url), await signIn(page)]) {
    assert.equal(again.status, 400);
    assert.match(again.html, /has already been used/);
    assert.equal(again.location, undefined);
  }
});

for (const [choice, verb] of [
  ['cancel', 'interactions.complete'],
  ['sign-in', 'interactions.change'],
] as const) {
  test(`400: two answers at once, ${choice}: one of them takes effect, the other is over`, async () => {
    const own = testTenant();
    const relying = await own.register(RELYING_PARTY);
    const person = await aPerson(own);
    const page = await person.ask(relying);
    let first: number | undefined;
    own.watch.before(verb, async () => {
      first = (await person.browser.submit(page, choice, { ...ADA, claims: '' })).status;
    });
    const second = await person.browser.submit(page, choice, { ...ADA, claims: '' });
    assert.deepEqual([first, second.status], [303, 400]);
    assert.equal(second.location, undefined);
    const sessions = await own.storage.sessions.ofSubject(person.account.sub);
    assert.equal(
      sessions.length,
      choice === 'sign-in' ? 1 : 0,
      'no session without a browser that has its cookie',
    );
  });
}

test('400: a form of a page that is just signing its end-user in: the page is over', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const page = await person.ask(relying);
  const meanwhile: number[] = [];
  own.watch.before('sessions.create', async () => {
    for (const choice of ['sign-in', 'cancel'])
      meanwhile.push((await person.browser.submit(page, choice, { ...ADA, claims: '' })).status);
    meanwhile.push((await person.browser.visit(page.url)).status);
  });
  assert.equal((await person.signIn(page)).status, 303);
  assert.deepEqual(meanwhile, [400, 400, 400]);
  assert.equal((await own.storage.sessions.ofSubject(person.account.sub)).length, 1);
});

test('a sign-in form twice, and the first answer never came: the second one goes on with the session of the first', async () => {
  const own = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const page = await person.ask(relying);
  const lost = browserOf(own);
  for (const [name, value] of person.browser.cookies())
    (lost.cookies() as Map<string, string>).set(name, value);
  assert.match((await lost.submit(page, 'sign-in', { ...ADA, claims: '' })).html, /value="allow"/);
  const [first] = await own.storage.sessions.ofSubject(person.account.sub);
  assert.match((await person.signIn(page)).html, /value="allow"/);
  const sessions = await own.storage.sessions.ofSubject(person.account.sub);
  assert.deepEqual(
    sessions.map(({ sid }) => sid),
    [first?.sid],
  );
});

test('400: agreed and refused at once: the first answer counts, and a refusal is not remembered as a consent', async () => {
  const own = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const page = await person.signIn(await person.ask(relying));
  own.watch.before('interactions.complete', async () => {
    assert.equal((await person.browser.submit(page, 'deny')).status, 303);
  });
  assert.equal((await person.browser.submit(page, 'allow')).status, 400);
  assert.deepEqual(await own.storage.consents.ofSubject(person.account.sub), []);
  assert.match((await person.ask(relying)).html, /value="allow"/);
});

test('400: a page of another browser: its address alone is good for nothing (S-05)', async () => {
  const page = await inFrontOf(browserOf(tenant)).ask(client);
  const other = inFrontOf(browserOf(tenant));
  await other.ask(client);
  assert.equal((await other.browser.visit(page.url)).status, 400);
  assert.equal((await other.signIn(page)).status, 400);
});

test('400: a page that got no answer in time is over', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const page = await person.ask(relying);
  own.clock.advance(901);
  assert.equal((await person.signIn(page)).status, 400);
});

for (const handle of ['x', '%00', '..%2f', '__proto__', 'A'.repeat(5000)]) {
  test(`GET /interaction/${handle.slice(0, 20)}: 400`, async () => {
    const answered = await tenant.send('interaction', { segment: handle });
    assert.equal(answered.status, 400);
  });
}

const FOREIGN: readonly (readonly [title: string, headers: Readonly<Record<string, string>>])[] = [
  ['of another site', { 'sec-fetch-site': 'cross-site' }],
  ['of a sister site', { 'sec-fetch-site': 'same-site' }],
  ['with a foreign origin', { origin: 'https://evil.example' }],
  ['with no origin at all', {}],
  ['with a foreign referrer', { referer: 'https://evil.example/' }],
];

for (const [title, headers] of FOREIGN) {
  // proves rfc6749-10.12-1, openid-core-3.1.2.3-1
  test(`a post ${title}: 400 without a session (H-161)`, async () => {
    const { browser, ask } = inFrontOf(browserOf(tenant));
    const page = await ask(client);
    const { hidden } = formOf(page.html);
    const cookie = [...browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
    const answered = await tenant.send('interaction-post', {
      segment: page.url.slice(`${ISSUER}/interaction/`.length),
      form: { ...hidden, ...ADA, claims: '', choice: 'sign-in' },
      headers: { cookie, ...headers },
    });
    assert.equal(answered.status, 400);
    assert.deepEqual(answered.cookies, []);
  });
}

// proves rfc6749-10.12-1, openid-core-3.1.2.3-1
test('a form token of another page, a changed or a missing one: 400 without a session (decision 31)', async () => {
  const { browser, ask } = inFrontOf(browserOf(tenant));
  const [page, other] = [await ask(client), await ask(client)];
  const { form_token = '' } = formOf(other.html).hidden;
  for (const token of [form_token, '', `${formOf(page.html).hidden['form_token']}x`]) {
    const answered = await browser.submit(page, 'sign-in', { ...ADA, claims: '', form_token: token });
    assert.equal(answered.status, 400);
    assert.doesNotMatch([...browser.cookies().keys()].join(), /session/);
  }
});

// proves openid-core-3.1.2.4-1
test('400: only the end-user who saw a consent page can agree to it', async () => {
  const own = testTenant({ settings: { 'sign-in.consent': 'always' } });
  const relying = await own.register(RELYING_PARTY);
  const ada = await aPerson(own);
  const consent = await ada.signIn(await ada.ask(relying));
  const eve = { username: 'Eve', password: 'battery staple', claims: {} };
  await aPerson(own, eve);
  await inFrontOf(ada.browser, eve).signIn(await ada.ask(relying, { prompt: 'login' }));
  assert.equal((await ada.browser.submit(consent, 'allow')).status, 400);
  assert.match((await ada.browser.visit(consent.url)).html, /Eve/, 'the page speaks to who is there now');
});

test('400: the client is gone before the page is answered: a page, and no redirection', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const page = await person.ask(relying);
  await own.send('client-delete', { id: relying.client_id, bearer: relying.registration_access_token });
  const answered = await person.signIn(page);
  assert.equal(answered.status, 400);
  assert.equal(answered.location, undefined);
});

test('400: the redirection URI is withdrawn before the page is answered: a page, and no redirection (RFC 9700 §4.1)', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const [page, declined] = [await person.ask(relying), await person.ask(relying)];
  const updated = await own.send('client-update', {
    segment: relying.client_id,
    bearer: relying.registration_access_token,
    json: { ...RELYING_PARTY, redirect_uris: ['https://rp.example/elsewhere'] },
  });
  assert.equal(updated.status, 200);
  for (const answered of [await person.signIn(page), await person.browser.submit(declined, 'cancel')]) {
    assert.equal(answered.status, 400);
    assert.equal(answered.location, undefined);
  }
});

test('a form that is none: 400', async () => {
  const headers = { 'sec-fetch-site': 'same-origin' };
  const answered = await tenant.send('interaction-post', {
    segment: 'x',
    headers,
    contentType: 'text/plain',
  });
  assert.equal(answered.status, 400);
});
