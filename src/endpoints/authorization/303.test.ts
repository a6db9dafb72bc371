import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setDisabled } from '../../sessions/manage-account.ts';
import { ACTOR } from '../../testing/end-users.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, ISSUER, testTenant } from '../../testing/tenant.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const ada = await aPerson(tenant);

test('GET /authorize, nobody signed in: 303 to a page of this browser’s own (OpenID Connect Core 1.0 §3.1.2.3)', async () => {
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
  ['unsupported_response_type', 'a response type nobody knows', { response_type: 'data' }],
  ['unauthorized_client', 'a response type it is not registered for', { response_type: 'id_token' }],
  ['invalid_scope', 'a malformed scope', { scope: 'a"b' }],
  ['invalid_request', 'prompt none with another', { prompt: 'none login' }],
  ['invalid_request', 'code_challenge_method plain', { code_challenge_method: 'plain' }],
  ['invalid_request', 'an id_token_hint of somebody else’s', { id_token_hint: 'a.b.c' }],
  ['invalid_request', 'claims that are no JSON', { claims: '{' }],
  ['invalid_target', 'a resource that is no absolute URI', { resource: 'api' }],
  ['request_uri_not_supported', 'a request_uri of its own', { request_uri: 'https://client.example/r' }],
  [
    'invalid_request_uri',
    'a pushed request nobody pushed',
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
test('GET /authorize, prompt none and nobody there: login_required; a page is never shown (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const sent = await browserOf(tenant).visit(authorizationUrl(client, { prompt: 'none' }));
  assert.equal(answeredTo(sent)['error'], 'login_required');
});

test('GET /authorize, prompt none for a client that nobody agreed to: consent_required (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const stranger = await tenant.register({ ...RELYING_PARTY, client_name: 'Stranger' });
  const sent = await ada.browser.visit(
    authorizationUrl(stranger, { prompt: 'none', scope: 'openid offline_access' }),
  );
  assert.equal(answeredTo(sent)['error'], 'consent_required');
});

// proves rfc6749-3.1-1, openid-core-3.1.2.1-1
test('POST /authorize: 303 to the same as a GET, with nothing of the request in the address (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
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

test('GET /authorize, logged out while a token is made for the implicit flow: no token, login_required (OpenID Connect Back-Channel Logout 1.0 §2.7)', async () => {
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

test('GET /authorize, the account is disabled: its sessions are gone, and it is asked to sign in', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  await person.grant(relying);
  await setDisabled(person.accounts, person.account, true, ACTOR);
  assert.match((await person.ask(relying)).url, /\/interaction\//);
});
