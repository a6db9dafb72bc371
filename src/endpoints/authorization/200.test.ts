import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fields } from '../../../test/program/code-request.ts';
import { formOf } from '../../../test/program/plain-browser.ts';
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
test('GET /authorize, response_mode form_post: a page that posts the answer to the client (OAuth 2.0 Form Post Response Mode §2)', async () => {
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
test('GET /authorize, response_mode form_post: errors take the same way', async () => {
  const page = await browserOf(tenant).visit(
    authorizationUrl(client, { response_mode: 'form_post', prompt: 'none' }),
  );
  const { hidden } = formOf(page.html);
  assert.equal(hidden['error'], 'login_required');
  assert.equal(hidden['state'], 'af0ifjsldkj');
});

/** Registered by whoever came by. */
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
  ['a response type nobody knows', { response_type: 'data' }, 'unsupported_response_type'],
  ['prompt none with another', { prompt: 'none login' }, 'invalid_request'],
];

for (const [what, change, error] of ERRONEOUS) {
  test(`GET /authorize, ${what}, of a client that anybody could have registered: a page asks before anybody is led there (RFC 9700 §4.11.2)`, async () => {
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

test('GET /authorize, form_post: the page that asks posts nothing by itself (RFC 9700 §4.11.2)', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const change = { response_mode: 'form_post', scope: 'a"b' };
  const page = await browserOf(own).visit(authorizationUrl(await strangerOf(own), change));
  assert.doesNotMatch(page.html, /<script/);
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /script-src/);
  const { action, hidden } = formOf(page.html);
  assert.deepEqual([action, hidden['error']], [CALLBACK, 'invalid_scope']);
});

test('whoever says no to a client that anybody could have registered has been asked by a page, and is led back', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const stranger = await strangerOf(own);
  const person = await aPerson(own);
  const cancelled = await person.browser.submit(await person.ask(stranger), 'cancel');
  const denied = await person.browser.submit(await person.signIn(await person.ask(stranger)), 'deny');
  for (const page of [cancelled, denied]) assert.equal(answeredTo(page)['error'], 'access_denied');
});

test('GET /authorize, prompt none: never a page, whoever asks (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const own = testTenant(OPEN_WITH_PAGE);
  const sent = await browserOf(own).visit(authorizationUrl(await strangerOf(own), { prompt: 'none' }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('GET /authorize, an error of a client that anybody could have registered: as for all others, unless a page was asked for', async () => {
  const own = testTenant(OPEN);
  const sent = await browserOf(own).visit(authorizationUrl(await strangerOf(own), { scope: 'a"b' }));
  assert.equal(answeredTo(sent)['error'], 'invalid_scope');
});
