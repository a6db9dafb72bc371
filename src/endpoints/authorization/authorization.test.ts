import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fields } from '../../../test/program/code-request.ts';
import { formOf } from '../../../test/program/plain-browser.ts';
import { setDisabled } from '../../sessions/manage-account.ts';
import { KEY } from '../../testing/assertion.ts';
import { busyOutbound } from '../../testing/busy-outbound.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { signedJwt } from '../../testing/jwt.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  ISSUER,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

const tenant = testTenant();

const client = await tenant.register(RELYING_PARTY);

const ada = await aPerson(tenant);

// proves openid-form-post-2-1
test('200: GET /authorize, response_mode form_post: a page that posts the answer to the client (OAuth 2.0 Form Post Response Mode §2)', async () => {
  await ada.grant(client);
  const page = await ada.browser.visit(authorizationUrl(client, { response_mode: 'form_post' }));
  assert.equal(page.status, 200);
  const { action, hidden } = formOf(page.html);
  assert.equal(action, CALLBACK);
  assert.deepEqual(Object.keys(hidden), ['code', 'state', 'iss']);
  assert.equal(hidden['iss'], ISSUER);
  const policy = page.headers.get('content-security-policy') ?? '';
  assert.match(policy, /script-src 'self'; form-action 'self' https:\/\/client\.example;/);
  assert.equal(page.headers.get('cache-control'), 'no-store');
});

// proves openid-form-post-2-1
test('200: GET /authorize, response_mode form_post without response_type: the error is posted too', async () => {
  const change = { response_mode: 'form_post', response_type: undefined };
  const page = await ada.browser.visit(authorizationUrl(client, change));
  const { action, hidden } = formOf(page.html);
  assert.deepEqual([action, hidden['error']], [CALLBACK, 'invalid_request']);
});

// proves openid-form-post-2-1
test('200: GET /authorize, response_mode form_post: errors take the same way', async () => {
  const page = await browserOf(tenant).visit(
    authorizationUrl(client, { response_mode: 'form_post', prompt: 'none' }),
  );
  const { hidden } = formOf(page.html);
  assert.equal(hidden['error'], 'login_required');
  assert.equal(hidden['state'], 'af0ifjsldkj');
});

/** Registered through open registration. */
async function strangerOf(own: TestTenant): Promise<ClientInformation> {
  const { json } = await own.send('client-registration', {
    json: { ...RELYING_PARTY, client_name: 'Win <b>' },
  });
  const member = (name: string): string => String(json[name]);
  return {
    client_id: member('client_id'),
    client_secret: member('client_secret'),
    registration_access_token: member('registration_access_token'),
    members: json,
  };
}

const OPEN = { settings: { 'registration.allow-open-registration': true } };

const OPEN_WITH_PAGE = {
  settings: { ...OPEN.settings, 'sign-in.open-client-errors': 'page' },
} as const;

const ERRONEOUS: readonly (readonly [what: string, change: Fields, error: string])[] = [
  ['a malformed scope', { scope: 'a"b' }, 'invalid_scope'],
  ['an unknown response type', { response_type: 'data' }, 'unsupported_response_type'],
  ['prompt none with another', { prompt: 'none login' }, 'invalid_request'],
];

for (const [what, change, error] of ERRONEOUS) {
  test(`200: GET /authorize, ${what}, of a client of open registration: a page asks before it leads there (RFC 9700 §4.11.2)`, async () => {
    const own = testTenant(OPEN_WITH_PAGE);
    const stranger = await strangerOf(own);
    const page = await browserOf(own).visit(authorizationUrl(stranger, change));
    assert.deepEqual([page.status, page.location], [200, undefined]);
    assert.match(page.html, /Win &lt;b&gt;/);
    assert.match(page.html, /client\.example/);
    assert.doesNotMatch(page.html, /http-equiv|<script/);
    const [, href = ''] = /<a class="button" href="([^"]*)"/.exec(page.html) ?? [];
    const led = answeredTo({ ...page, location: href.replaceAll('&amp;', '&') });
    assert.deepEqual([led['error'], led['state'], led['iss']], [error, 'af0ifjsldkj', ISSUER]);
  });
}

test('200: GET /authorize, form_post: the page that asks waits for the end-user and posts nothing before (RFC 9700 §4.11.2)', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const change = { response_mode: 'form_post', scope: 'a"b' };
  const page = await browserOf(own).visit(authorizationUrl(await strangerOf(own), change));
  assert.doesNotMatch(page.html, /<script/);
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /script-src/);
  const { action, hidden } = formOf(page.html);
  assert.deepEqual([action, hidden['error']], [CALLBACK, 'invalid_scope']);
});

test('200: an end-user who refuses a client of open registration has seen a page that asked, and returns to the client', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const stranger = await strangerOf(own);
  const person = await aPerson(own);
  const cancelled = await person.browser.submit(await person.ask(stranger), 'cancel');
  const denied = await person.browser.submit(await person.signIn(await person.ask(stranger)), 'deny');
  for (const page of [cancelled, denied]) assert.equal(answeredTo(page)['error'], 'access_denied');
});

test('200: GET /authorize, prompt none: never a page, for any client (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const sent = await browserOf(own).visit(authorizationUrl(await strangerOf(own), { prompt: 'none' }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('GET /authorize, an error of a client of open registration: the same redirection as for other clients, unless the settings ask for a page', async () => {
  const own = testTenant(OPEN);
  const sent = await browserOf(own).visit(authorizationUrl(await strangerOf(own), { scope: 'a"b' }));
  assert.equal(answeredTo(sent)['error'], 'invalid_scope');
});

test('GET /authorize without a session: 303 to a page that belongs to this browser (OpenID Connect Core 1.0 §3.1.2.3)', async () => {
  const browser = browserOf(tenant);
  const sent = await browser.visit(authorizationUrl(client));
  assert.equal(sent.status, 303);
  assert.match(sent.location ?? '', new RegExp(`^${ISSUER}/interaction/[A-Za-z0-9]{43}$`));
  assert.equal(sent.headers.get('cache-control'), 'no-store');
  assert.equal(sent.headers.get('referrer-policy'), 'no-referrer');
  assert.match(
    sent.headers.get('set-cookie') ?? '',
    /^__Host-chancery-interaction-\w+=\w+; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
  );
  const again = await browser.visit(authorizationUrl(client));
  assert.equal(again.headers.get('set-cookie'), null, 'one cookie for all pages that wait in a browser');
  assert.notEqual(again.location, sent.location);
});

// proves rfc9207-2-1
test('GET /authorize, signed in and agreed: 303 to the client with code, state and iss, nothing else (RFC 6749 §4.1.2, RFC 9207 §2)', async () => {
  await ada.grant(client);
  const sent = await ada.browser.visit(authorizationUrl(client));
  assert.equal(sent.status, 303);
  assert.ok(sent.location?.startsWith(CALLBACK), sent.location ?? sent.html);
  const { code, ...others } = answeredTo(sent);
  assert.match(code ?? '', /^[A-Za-z0-9]{43}$/);
  assert.deepEqual(others, { state: 'af0ifjsldkj', iss: ISSUER });
});

const REFUSED: readonly (readonly [
  error: string,
  title: string,
  change: Readonly<Record<string, string | undefined>>,
])[] = [
  ['unsupported_response_type', 'an unknown response type', { response_type: 'data' }],
  ['unauthorized_client', 'a response type it is not registered for', { response_type: 'id_token' }],
  ['invalid_scope', 'a malformed scope', { scope: 'a"b' }],
  ['invalid_request', 'prompt none with another', { prompt: 'none login' }],
  ['invalid_request', 'code_challenge_method plain', { code_challenge_method: 'plain' }],
  ['invalid_request', 'an id_token_hint that is no ID token of this server', { id_token_hint: 'a.b.c' }],
  ['invalid_request', 'claims that are no JSON', { claims: '{' }],
  ['invalid_target', 'a resource that is no absolute URI', { resource: 'api' }],
  ['request_uri_not_supported', 'a request_uri of its own', { request_uri: 'https://client.example/r' }],
  [
    'invalid_request_uri',
    'a request_uri that was never pushed',
    { request_uri: 'urn:ietf:params:oauth:request_uri:x' },
  ],
  ['invalid_request_object', 'a request object that is none', { request: 'a.b.c' }],
  ['registration_not_supported', 'registration (oidcc §7)', { registration: '{}' }],
];

for (const [error, title, change] of REFUSED) {
  // proves rfc6749-4.1.2.1-1, rfc7636-4.3-1, rfc9207-2-1, openid-core-3.1.2.6-1, openid-core-7.2.1-1
  test(`GET /authorize, ${title}: 303 to the client with ${error} (RFC 6749 §4.1.2.1)`, async () => {
    const sent = await ada.browser.visit(authorizationUrl(client, change));
    assert.equal(sent.status, 303, sent.html);
    assert.ok(sent.location?.startsWith(CALLBACK), sent.location ?? sent.html);
    const { error_description, ...others } = answeredTo(sent);
    assert.match(error_description ?? '', /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
    assert.deepEqual(others, { error, state: 'af0ifjsldkj', iss: ISSUER });
  });
}

// proves openid-core-3.1.2.1-3
test('303: GET /authorize, prompt none without a session: login_required and never a page (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const sent = await browserOf(tenant).visit(authorizationUrl(client, { prompt: 'none' }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('303: GET /authorize, prompt none for a client without consent: consent_required (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const stranger = await tenant.register({ ...RELYING_PARTY, client_name: 'Stranger' });
  const sent = await ada.browser.visit(
    authorizationUrl(stranger, { prompt: 'none', scope: 'openid offline_access' }),
  );
  assert.equal(answeredTo(sent)['error'], 'consent_required');
});

// proves rfc6749-3.1-1, openid-core-3.1.2.1-1
test('POST /authorize: 303 to the same request as a GET, and the address has none of its parameters (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const url = new URL(authorizationUrl(client));
  const form = Object.fromEntries(url.searchParams);
  const pushed = await ada.browser.visit(`${ISSUER}/authorize`, form);
  assert.equal(pushed.status, 303);
  const { searchParams } = new URL(pushed.location ?? '');
  assert.deepEqual([...searchParams.keys()], ['client_id', 'request_uri']);
  const answered = await ada.browser.visit(pushed.location ?? '');
  assert.equal(answeredTo(answered)['state'], 'af0ifjsldkj');
  const twice = await ada.browser.visit(pushed.location ?? '');
  assert.equal(twice.status, 400, 'once, and who asked is not known without it (RFC 9126 §7.3)');
});

test('303: GET /authorize, logged out while a token is made for the implicit flow: no token, login_required (OpenID Connect Back-Channel Logout 1.0 §2.7)', async () => {
  const own = testTenant();
  const relying = await own.register({
    ...RELYING_PARTY,
    grant_types: ['implicit'],
    response_types: ['id_token token'],
  });
  const person = await aPerson(own);
  const request = {
    response_type: 'id_token token',
    code_challenge: undefined,
    code_challenge_method: undefined,
  };
  assert.ok(answeredTo(await person.grant(relying, request))['access_token']);
  const [session] = await own.unwatched.sessions.ofSubject(person.account.sub);
  assert.ok(session !== undefined);
  own.watch.before(
    'grants.createInSession',
    async () => void (await own.unwatched.sessions.end(session.key)),
  );
  const answered = answeredTo(await person.ask(relying, request));
  assert.deepEqual([answered['error'], answered['access_token']], ['login_required', undefined]);
  assert.equal(await own.unwatched.grants.endAllOf(person.account.sub), 0);
});

test('303: GET /authorize, the account is disabled: its sessions are gone, and it is asked to sign in', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  await person.grant(relying);
  await setDisabled(person.accounts, person.account, true, ACTOR);
  assert.match((await person.ask(relying)).url, /\/interaction\//);
});

const browser = browserOf(tenant);

const UNPROVEN: readonly (readonly [title: string, change: Readonly<Record<string, string | undefined>>])[] =
  [
    ['no client_id', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['no redirect_uri', { redirect_uri: undefined }],
    ['another redirect_uri', { redirect_uri: 'https://evil.example/cb' }],
    ['the redirect_uri with a query added', { redirect_uri: `${CALLBACK}?x=y` }],
    ['the redirect_uri with user information', { redirect_uri: 'https://client.example@evil.example/cb' }],
    ['a redirect_uri of JavaScript', { redirect_uri: 'javascript:alert(1)' }],
  ];

for (const [title, change] of UNPROVEN) {
  // proves rfc6749-3.1.2.4-1, openid-core-3.1.2.6-1
  test(`400: GET /authorize, ${title}: a page for the person, and no redirection (RFC 6749 §4.1.2.1)`, async () => {
    const page = await browser.visit(authorizationUrl(client, change));
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.doesNotMatch(page.html, /evil|javascript:/);
    assert.match(
      page.headers.get('content-security-policy') ?? '',
      /form-action 'self'; frame-ancestors 'none'/,
    );
  });
}

const UNADDRESSED: Readonly<Record<string, string>> = {
  client_id: client.client_id,
  redirect_uri: encodeURIComponent(CALLBACK),
  request: 'a.b.c&request=a.b.c',
  request_uri: 'urn:x&request_uri=urn:x',
};

for (const [name, value] of Object.entries(UNADDRESSED)) {
  // proves rfc6749-3.1-1
  test(`400: GET /authorize, a repeated ${name}: a page, because it is unclear where the answer goes (RFC 6749 §3.1; decision 53)`, async () => {
    const page = await browser.visit(`${authorizationUrl(client)}&${name}=${value}`);
    assert.equal(page.status, 400);
    assert.equal(page.location, undefined);
  });
}

test('400: POST /authorize that is no form: a page (OpenID Connect Core 1.0 §13.2)', async () => {
  const answered = await tenant.send('authorization-post', { contentType: 'application/json', body: '{}' });
  assert.equal(answered.status, 400);
  assert.equal(answered.headers['content-type'], 'text/html; charset=utf-8');
});

test('400: POST /authorize for an unknown client: a page', async () => {
  const page = await browser.visit(`${ISSUER}/authorize`, { client_id: 'nobody' });
  assert.equal(page.status, 400);
  assert.equal(page.location, undefined);
});

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

test('GET /authorize: the limit counts neither signed-in end-users nor requests that need no page', async () => {
  // Ada signs in once, and the stranger begins once.
  const tenant = testTenant({ settings: { 'interaction.rate-per-network': 2 } });
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
  assert.equal((await stranger.visit(authorizationUrl(client))).status, 303);
  assert.equal((await stranger.visit(authorizationUrl(client))).status, 429);
});

test('H-250 GET and POST /authorize ask the rate limit before they read the client: a request object beyond it is not verified', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate-per-network': 2 } });
  const client = await tenant.register(RELYING_PARTY);
  const stranger = browserOf(tenant);
  const unsound = authorizationUrl(client, { request: 'e30.e30.AA' });
  for (let count = 0; count < 2; count += 1) assert.notEqual((await stranger.visit(unsound)).status, 429);
  const before = tenant.watch.calls.length;
  assert.equal((await stranger.visit(unsound)).status, 429);
  const form = Object.fromEntries(new URL(unsound).searchParams);
  assert.equal((await stranger.visit(`${ISSUER}/authorize`, form)).status, 429);
  assert.deepEqual(
    tenant.watch.calls.slice(before).filter((call) => !call.startsWith('rates.')),
    [],
  );
});

test('429: POST /authorize, which is pushed for its client, is counted as well', async () => {
  const tenant = testTenant({ settings: { 'interaction.rate': 1 } });
  const client = await tenant.register(RELYING_PARTY);
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  const browser = browserOf(tenant);
  assert.equal((await browser.visit(`${ISSUER}/authorize`, form)).status, 303);
  const refused = await browser.visit(`${ISSUER}/authorize`, form);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '60']);
});

test('GET /authorize, the storage fails: 500 as a page without the cause, which is in the report', async () => {
  const tenant = testTenant();
  const client = await tenant.register(RELYING_PARTY);
  const cause = new Error('disk is full: /var/lib');
  tenant.watch.fail(cause, 'interactions.begin');
  const page = await browserOf(tenant).visit(authorizationUrl(client));
  assert.equal(page.status, 500);
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.doesNotMatch(page.html, /disk is full|var\/lib/);
  assert.deepEqual(tenant.reports, [cause]);
});

test('GET /authorize with a request object while the server is too busy to fetch the keys of its client: temporarily_unavailable at the redirection URI; without one: 503 as a page with Retry-After (decision 50; RFC 6749 §4.1.2.1)', async () => {
  const { outbound, causes } = busyOutbound();
  const tenant = testTenant({ outbound });
  const client = await tenant.register({ ...RELYING_PARTY, jwks_uri: 'https://client.example/jwks.json' });
  const request = signedJwt(KEY, { iss: client.client_id, aud: ISSUER });
  const browser = browserOf(tenant);
  const answered = answeredTo(await browser.visit(authorizationUrl(client, { request })));
  assert.equal(answered['error'], 'temporarily_unavailable');
  const page = await browser.visit(`${ISSUER}/authorize`, { client_id: client.client_id, request });
  assert.equal(page.status, 503);
  assert.equal(page.headers.get('retry-after'), '7');
  assert.deepEqual(causes[0], { purpose: 'client-keys', remoteAddress: causes[0]?.remoteAddress });
});
