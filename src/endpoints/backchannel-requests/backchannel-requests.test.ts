import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  allow,
  askPerson,
  backchannelTenant,
  REQUESTS,
  requestsOf,
  review,
  TILL,
} from '../../testing/backchannel.ts';
import { ADA } from '../../testing/end-users.ts';
import { externalTenant } from '../../testing/external-sign-in.ts';
import { aPerson, browserOf } from '../../testing/person.ts';
import { MASTER, type TestTenant } from '../../testing/tenant.ts';

const BEA = { username: 'bea', password: 'correct horse', claims: {} };

const stateOf = async (tenant: TestTenant): Promise<unknown> =>
  (await tenant.unwatched.backchannelRequests.page({}, '', 10)).map(({ state }) => state);

test('200: the page signs a person in, and shows who asks, for what, from where, and the message', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  await askPerson(tenant, await tenant.register({ ...TILL, client_name: 'Till <i>' }), {
    scope: 'openid profile',
    binding_message: 'Order 4711',
  });
  const form = await ada.browser.open(REQUESTS);
  assert.match(form.html, /name="password"/);
  assert.doesNotMatch(form.html, /Till/, 'nothing before the sign-in');
  const wrong = await ada.browser.submit(form, 'sign-in', { ...ADA, password: 'wrong', claims: '' });
  assert.match(wrong.html, /name="password"/);
  const page = await ada.signIn(wrong);
  assert.equal(page.status, 200);
  for (const text of ['Till &lt;i&gt;', 'Order 4711', '198.51.100.7', 'See your profile'])
    assert.ok(page.html.includes(text), `${text} in ${page.html}`);
  const bea = await aPerson(tenant, BEA);
  assert.match((await requestsOf(bea)).html, /No request waits for you/);
});

test('200: where people sign in at the page of the operator, a signed-out person learns that', async () => {
  const { tenant } = await externalTenant({ 'ciba.enabled': true });
  assert.match((await browserOf(tenant).open(REQUESTS)).html, /You are not signed in/);
});

// proves ciba-8-2
test('303: a blocked client is refused, cannot reach the person, and can again after the person unblocks it', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const till = await tenant.register(TILL);
  const first = await askPerson(tenant, till);
  const blocked = await ada.browser.submit(await requestsOf(ada), 'block');
  assert.match(blocked.html, /Blocked applications/);
  assert.equal((await first.poll()).json['error'], 'access_denied');
  await askPerson(tenant, till);
  assert.match((await requestsOf(ada)).html, /No request waits for you/);
  await ada.browser.submit(await requestsOf(ada), 'unblock');
  await askPerson(tenant, till);
  assert.match((await requestsOf(ada)).html, /value="review"/);
  const events = (await tenant.unwatched.audit.page(0, 100)).map(({ action }) => action);
  assert.ok(events.includes('backchannel.block') && events.includes('backchannel.unblock'), String(events));
});

test('H-724 a request of a client that was deleted is not shown: it could not be answered', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const till = await tenant.register(TILL);
  await askPerson(tenant, till);
  await tenant.send('client-delete', { id: till.client_id, bearer: MASTER });
  assert.match((await requestsOf(ada)).html, /No request waits for you/);
});

// H-705
test('400: a form of another person, another request, another site or without its token decides nothing', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const bea = await aPerson(tenant, BEA);
  const till = await tenant.register(TILL);
  await askPerson(tenant, till);
  const [request_id = ''] = (await tenant.unwatched.backchannelRequests.page({}, '', 1)).map(({ id }) => id);
  const page = await requestsOf(ada);
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/u.exec(page.html) ?? [];
  await requestsOf(bea);
  const cookie = [...ada.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  const form = { request_id, form_token, choice: 'deny' };
  const attacks = [
    await bea.browser.visit(REQUESTS, form),
    await ada.browser.visit(REQUESTS, { ...form, form_token: '' }),
    await ada.browser.visit(REQUESTS, { ...form, request_id: 'another' }),
    await browserOf(tenant).visit(REQUESTS, form),
    await browserOf(tenant).visit(REQUESTS, { choice: 'sign-in', ...ADA, claims: '', form_token }),
    await tenant.send('backchannel-requests-post', {
      headers: { cookie, 'sec-fetch-site': 'cross-site' },
      form,
    }),
  ];
  assert.deepEqual(new Set(attacks.map(({ status }) => status)), new Set([400]));
  assert.deepEqual(await stateOf(tenant), ['open']);
});

// H-706
test('a person who signs in on the page of the request of another one cannot answer it, and it still waits', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const bea = await aPerson(tenant, BEA);
  await askPerson(tenant, await tenant.register(TILL));
  const consent = await review(ada);
  for (const name of ada.browser.cookies().keys())
    if (name.includes('session')) (ada.browser.cookies() as Map<string, string>).delete(name);
  const { username, password } = BEA;
  const form = await ada.browser.open(consent.url);
  const done = await ada.browser.submit(form, 'sign-in', { username, password });
  assert.match(done.html, /Not answered/);
  assert.deepEqual(await stateOf(tenant), ['open']);
  assert.match((await requestsOf(bea)).html, /No request waits for you/);
});

// H-707
test('a person who allows in one window and refuses in another has decided once', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const asked = await askPerson(tenant, await tenant.register(TILL));
  const [first, second] = [await review(ada), await review(ada)];
  assert.match((await ada.browser.submit(first, 'deny')).html, /Access denied/);
  assert.match((await ada.browser.submit(second, 'allow')).html, /This request is over/);
  assert.equal((await asked.poll()).json['error'], 'access_denied');
});

test('an earlier consent does not count: the person answers each request', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  const till = await tenant.register(TILL);
  await askPerson(tenant, till);
  assert.match((await allow(ada)).html, /Access allowed/);
  const asked = await askPerson(tenant, till);
  assert.match((await review(ada)).html, /value="allow"/);
  assert.equal((await asked.poll()).json['error'], 'authorization_pending');
});

test('429: too many wrong passwords on the page', async () => {
  const tenant = backchannelTenant({ 'sign-in.attempts-per-network': 1 });
  const ada = await aPerson(tenant);
  const wrong = { username: ADA.username, password: 'wrong' };
  const page = await ada.browser.submit(await ada.browser.open(REQUESTS), 'sign-in', wrong);
  const later = await ada.browser.submit(page, 'sign-in', wrong);
  assert.equal(later.status, 429);
  assert.ok(Number(later.headers.get('retry-after')) > 0);
});

test('the page speaks four languages', async () => {
  const tenant = backchannelTenant();
  const ada = await aPerson(tenant);
  await requestsOf(ada);
  const cookie = [...ada.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const [language, title] of [
    ['en', 'Requests to you'],
    ['de', 'Anfragen an Sie'],
    ['fr', 'Demandes qui vous sont adressées'],
    ['es', 'Solicitudes dirigidas a usted'],
  ] as const) {
    const { body } = await tenant.send('backchannel-requests', {
      headers: { cookie, 'accept-language': language },
    });
    assert.ok(body.includes(`<h1>${title}</h1>`), language);
  }
});

test('400: a prefetch of the page is not answered', async () => {
  const headers = { 'sec-purpose': 'prefetch' };
  assert.equal((await backchannelTenant().send('backchannel-requests', { headers })).status, 400);
});

test('a fault of the server: 500, on a page, for both methods', async () => {
  const tenant = backchannelTenant();
  for (const name of ['backchannel-requests', 'backchannel-requests-post']) {
    const endpoint = { ...(await tenant.endpoint(name)), handle: () => Promise.reject(new Error('x')) };
    const { status, body } = await tenant.ask(endpoint, {});
    assert.equal(status, 500);
    assert.match(body, /<h1>/);
  }
});
