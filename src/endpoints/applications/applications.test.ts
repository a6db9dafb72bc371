import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainBrowser, Visit } from '../../../test/program/plain-browser.ts';
import { ACCOUNTS, DETAIL_SETTINGS, DETAILED_CLIENT, payment } from '../../testing/authorization-details.ts';
import { aPerson, browserOf, RELYING_PARTY, type TestPerson } from '../../testing/person.ts';
import { type ClientInformation, DIRECT, ISSUER, type TestTenant, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const PAGE = `${ISSUER}/account/applications`;
const ALWAYS = { settings: { 'sign-in.consent': 'always' } } as const;
const OFFLINE = { scope: 'openid email offline_access' };

interface World {
  readonly tenant: TestTenant;
  readonly client: ClientInformation;
  readonly ada: TestPerson;
  readonly tokens: Readonly<Record<string, unknown>>;
}

async function world(): Promise<World> {
  const tenant = testTenant(ALWAYS);
  const client = await tenant.register({ ...RELYING_PARTY, client_name: 'Paper <b>Clips</b>' });
  const ada = await aPerson(tenant);
  return { tenant, client, ada, tokens: await tokensFor(tenant, ada, client, OFFLINE) };
}

/** Presses the button of an application. @param change other values of the form */
async function withdraw(
  browser: PlainBrowser,
  page: Visit,
  { client_id }: ClientInformation,
  change: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const token = new RegExp(
    `name="form_token" value="([^"]+)">\\s*<input type="hidden" name="client_id" value="${client_id}"`,
    'u',
  );
  const form_token = token.exec(page.html)?.[1] ?? assert.fail(`no button for ${client_id} in ${page.html}`);
  return await browser.visit(PAGE, { form_token, client_id, ...change });
}

const cookieOf = ({ browser }: TestPerson): string =>
  [...browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');

test('200: the page names each application with access, its scope in words, and since when, escaped', async () => {
  const { ada } = await world();
  const page = await ada.browser.open(PAGE);
  assert.equal(page.status, 200);
  assert.match(page.html, /You are signed in as Ada\./);
  assert.match(page.html, /<h2 id="application-1">Paper &lt;b&gt;Clips&lt;\/b&gt;<\/h2>/);
  assert.match(page.html, /<li>See your e-mail address<\/li>/);
  assert.match(page.html, /Access since 2027-01-15/);
  assert.match(
    page.headers.get('content-security-policy') ?? '',
    /form-action 'self'; frame-ancestors 'none'/,
  );
  assert.doesNotMatch(page.html, /<script/);
});

test('303: withdrawing ends consent, grants and tokens, is audited and counted, and the application must ask again', async () => {
  const { tenant, client, ada, tokens } = await world();
  const other = await tenant.register({ ...RELYING_PARTY, client_name: 'Other' });
  const kept = await tokensFor(tenant, ada, other, OFFLINE);
  const done = await withdraw(ada.browser, await ada.browser.open(PAGE), client);
  assert.deepEqual([done.status, done.location], [303, PAGE]);
  assert.deepEqual(await tenant.introspect(String(tokens['access_token'])), { active: false });
  assert.equal((await tenant.introspect(String(kept['access_token'])))['active'], true);
  const after = await ada.browser.open(PAGE);
  assert.doesNotMatch(after.html, /Paper/);
  assert.match(after.html, /Other/);
  assert.match((await ada.ask(client)).html, /value="allow"/);
  const events = await tenant.unwatched.audit.page(0, 100);
  const event = events.find(({ action }) => action === 'consent.withdraw');
  assert.deepEqual(
    [event?.actor, event?.sub, event?.client_id, event?.detail],
    ['end-user', ada.account.sub, client.client_id, 'by the end-user'],
  );
  assert.ok(tenant.log.some(({ members }) => JSON.stringify(members).includes('consent.withdraw')));
});

test('an application with a grant and no consent is on the page, and its access can be withdrawn', async () => {
  const tenant = testTenant();
  const client = await tenant.register({
    ...RELYING_PARTY,
    grant_types: ['client_credentials'],
    redirect_uris: [],
  });
  const trusted = await tenant.register(RELYING_PARTY);
  const ada = await aPerson(tenant);
  await ada.grant(trusted);
  const json = { client_id: client.client_id, sub: ada.account.sub, scope: ['read'], long_lived: true };
  await tenant.send('direct-authorization', { bearer: DIRECT, json });
  const page = await ada.browser.open(PAGE);
  assert.match(page.html, /Have the permission “read”/);
  await withdraw(ada.browser, page, client);
  assert.match((await ada.browser.open(PAGE)).html, /No application has access to your account/);
});

test('200: a browser without a session learns that it is signed out', async () => {
  const { tenant } = await world();
  const page = await browserOf(tenant).open(PAGE);
  assert.equal(page.status, 200);
  assert.match(page.html, /You are not signed in/);
});

test('H-538: a form of another session, another application or another site withdraws nothing: 400', async () => {
  const { tenant, client, ada, tokens } = await world();
  const other = await tenant.register({ ...RELYING_PARTY, client_name: 'Other' });
  await tokensFor(tenant, ada, other, OFFLINE);
  const page = await ada.browser.open(PAGE);
  const bea = await aPerson(tenant, { username: 'bea', password: 'correct horse', claims: {} });
  await bea.grant(client);
  const attacks = [
    await withdraw(ada.browser, page, client, { form_token: '' }),
    await withdraw(ada.browser, page, other, { client_id: client.client_id }),
    await withdraw(bea.browser, page, client),
    await withdraw(browserOf(tenant), page, client),
  ];
  for (const { status } of attacks) assert.equal(status, 400);
  const [, form_token = ''] = /name="form_token" value="([^"]+)"/u.exec(page.html) ?? [];
  const headers = { cookie: cookieOf(ada), 'sec-fetch-site': 'cross-site' };
  const form = { form_token, client_id: client.client_id };
  assert.equal((await tenant.send('applications-withdraw', { headers, form })).status, 400);
  assert.equal((await tenant.introspect(String(tokens['access_token'])))['active'], true);
});

test('400: a prefetch of the page is not answered', async () => {
  const { tenant } = await world();
  const refused = await tenant.send('applications', { headers: { 'sec-purpose': 'prefetch' } });
  assert.equal(refused.status, 400);
});

test('the page shows the details that a grant permits, each once, in the words of their type or with all members (RFC 9396 §2)', async () => {
  const tenant = testTenant({ settings: DETAIL_SETTINGS });
  const client = await tenant.register({ ...DETAILED_CLIENT, client_name: 'Bank <b>App</b>' });
  const ada = await aPerson(tenant);
  const accounts = { type: ACCOUNTS.type, actions: ['list'], note: '<i>x</i>' };
  for (const amount of ['10.00', '10.00', '20.00']) {
    const details = [payment({ instructedAmount: { currency: 'EUR', amount } }), accounts];
    const wish = { ...OFFLINE, authorization_details: JSON.stringify(details) };
    await tokensFor(tenant, ada, client, wish);
  }
  const { html } = await ada.browser.open(PAGE);
  const times = (words: string): number => html.split(words).length - 1;
  const payments = ['10.00', '20.00'].map((amount) => times(`<bdi class="chosen">${amount}</bdi>`));
  assert.deepEqual(payments, [1, 1], html);
  assert.equal(times(`Permission of the type <code>${ACCOUNTS.type}</code>`), 1);
  assert.match(html, /<dt><code>note<\/code><\/dt><dd><bdi class="chosen">&lt;i&gt;x&lt;\/i&gt;<\/bdi>/);
  assert.doesNotMatch(html, /older than these/);
});

test('the page shows the latest 50 details of an application, and says that there are older ones', async () => {
  const tenant = testTenant({ settings: DETAIL_SETTINGS });
  const client = await tenant.register(DETAILED_CLIENT);
  const ada = await aPerson(tenant);
  const details = Array.from({ length: 10 }, (_, index) => ({ type: ACCOUNTS.type, note: `n${index}` }));
  for (const round of [1, 2, 3, 4, 5, 6]) {
    tenant.clock.advance(1);
    const own = details.map((detail) => ({ ...detail, note: `${detail.note} of ${round}` }));
    await tokensFor(tenant, ada, client, { ...OFFLINE, authorization_details: JSON.stringify(own) });
  }
  const { html } = await ada.browser.open(PAGE);
  assert.deepEqual(
    [1, 2, 6].map((round) => html.split(` of ${round}</bdi>`).length - 1),
    [0, 10, 10],
  );
  assert.match(html, /older than these/);
});

test('the page speaks four languages', async () => {
  const { tenant, ada } = await world();
  for (const [language, title] of [
    ['en', 'Applications with access'],
    ['de', 'Anwendungen mit Zugriff'],
    ['fr', 'Applications ayant accès'],
    ['es', 'Aplicaciones con acceso'],
  ] as const) {
    const headers = { cookie: cookieOf(ada), 'accept-language': language };
    assert.match((await tenant.send('applications', { headers })).body, new RegExp(`<h1>${title}</h1>`, 'u'));
  }
});

test('a fault of the server: 500, on a page', async () => {
  const { tenant } = await world();
  const endpoint = {
    ...(await tenant.endpoint('applications')),
    handle: () => Promise.reject(new Error('x')),
  };
  const { status, body } = await tenant.ask(endpoint, {});
  assert.equal(status, 500);
  assert.match(body, /<h1>/);
});
