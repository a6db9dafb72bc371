import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { type Fields, formText, VERIFIER } from '../../../test/program/code-request.ts';
import { ASSERTING, asserted, claimsOf } from '../../testing/assertion.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { answeredTo, aPerson, authorizationUrl, browserOf, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, type ClientInformation, ISSUER, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

/** Modules of the OpenID Foundation conformance suite that begin at the authorisation endpoint, made again. */
const tenant = testTenant();

const client = await tenant.register(RELYING_PARTY);

const ada = await aPerson(tenant);

const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });

const signing = await tenant.register({
  ...RELYING_PARTY,
  jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'rp', use: 'sig', alg: 'RS256' }] },
  request_object_signing_alg: 'RS256',
});

await ada.grant(client);

const NO_PKCE = { code_challenge: undefined, code_challenge_method: undefined };

async function codeOf(change: Fields = {}, as: ClientInformation = client): Promise<string> {
  return answeredTo(await ada.grant(as, change))['code'] ?? assert.fail('no code');
}

async function redeemed(as: ClientInformation, form: Readonly<Record<string, string>>): Promise<Answer> {
  return await tenant.send('token', {
    basic: [as.client_id, as.client_secret],
    form: { grant_type: 'authorization_code', redirect_uri: CALLBACK, ...form },
  });
}

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

// proves openid-conformance-10, rfc6749-10.10-1
test('oidcc-server: a code of more than 128 bits, tokens, and an ID token with requested claims only', async () => {
  const tokens = await tokensFor(tenant, ada, client, { scope: 'openid profile' });
  assert.ok((await codeOf()).length >= 22);
  assert.equal(typeof tokens['expires_in'], 'number');
  const claims = decodeJwt(String(tokens['id_token']));
  assert.equal(claims['name'], undefined, 'EnsureIdTokenDoesNotContainName');
  assert.equal(claims['at_hash'], halfHash(String(tokens['access_token'])));
});

// proves openid-conformance-10, openid-core-3.2.2.1-1, openid-core-3.2.2.5-1, openid-core-3.3.2.11-1
test('oidcc-server, the hybrid flow: at_hash and c_hash bind the ID token to what came with it (OpenID Connect Core 1.0 §3.3.2.11)', async () => {
  const hybrid = await tenant.register({
    ...RELYING_PARTY,
    grant_types: ['authorization_code', 'implicit'],
    response_types: ['code id_token token'],
  });
  const sent = await ada.grant(hybrid, { response_type: 'code id_token token' });
  const { search, hash } = new URL(sent.location ?? '');
  assert.equal(search, '', 'RejectAuthCodeInUrlQuery');
  assert.notEqual(hash, '');
  const { code = '', access_token = '', id_token = '', token_type, expires_in, scope } = answeredTo(sent);
  assert.deepEqual([token_type, expires_in, scope], ['Bearer', '600', 'openid']);
  const front = decodeJwt(id_token);
  assert.equal(front['c_hash'], halfHash(code));
  assert.equal(front['at_hash'], halfHash(access_token));
  assert.equal(front['nonce'], 'n-0S6_WzA2Mj');
  const answered = await redeemed(hybrid, { code, code_verifier: VERIFIER });
  const back = decodeJwt(String(answered.json['id_token']));
  for (const name of ['iss', 'sub', 'aud', 'nonce', 'auth_time', 'sid'])
    assert.deepEqual(back[name], front[name], name);
  const told = await tenant.send('userinfo', { bearer: access_token });
  assert.equal(told.json['sub'], front.sub);
});

// proves openid-conformance-10, rfc6749-4.2.2-1, openid-core-3.2.2.5-1, openid-core-5.4-1
test('oidcc-server, the implicit flow: an ID token alone, and with an access token (OpenID Connect Core 1.0 §3.2.2.5)', async () => {
  const implicit = await tenant.register({
    ...RELYING_PARTY,
    grant_types: ['implicit'],
    response_types: ['id_token', 'id_token token', 'token'],
  });
  const alone = answeredTo(
    await ada.grant(implicit, { ...NO_PKCE, response_type: 'id_token', scope: 'openid email' }),
  );
  assert.deepEqual(Object.keys(alone), ['id_token', 'state', 'iss']);
  assert.equal(decodeJwt(alone['id_token'] ?? '')['email'], 'ada@example.com', '§5.4');
  const both = answeredTo(await ada.grant(implicit, { ...NO_PKCE, response_type: 'token id_token' }));
  assert.equal(decodeJwt(both['id_token'] ?? '')['at_hash'], halfHash(both['access_token'] ?? ''));
  const token = answeredTo(await ada.grant(implicit, { ...NO_PKCE, response_type: 'token', scope: 'email' }));
  assert.equal((await tenant.introspect(token['access_token'] ?? ''))['active'], true);
  assert.equal('refresh_token' in token, false, 'RFC 6749 §4.2.2');
});

// proves openid-conformance-13, openid-core-3.1.2.1-1
test('oidcc-ensure-post-request-succeeds', async () => {
  const form = Object.fromEntries(new URL(authorizationUrl(client)).searchParams);
  assert.ok(answeredTo(await ada.browser.open(`${ISSUER}/authorize`, form))['code']);
});

// proves openid-conformance-14, openid-core-3.1.2.1-2
test('oidcc-ensure-redirect-uri-in-authorization-request: an error page, though one is registered', async () => {
  const page = await ada.browser.open(authorizationUrl(client, { redirect_uri: undefined }));
  assert.deepEqual([page.status, page.location], [400, undefined]);
});

for (const [module, registered, asked] of [
  ['oidcc-ensure-registered-redirect-uri', CALLBACK, `${CALLBACK}/more`],
  ['oidcc-redirect-uri-query-added', CALLBACK, `${CALLBACK}?foo=bar`],
  ['oidcc-redirect-uri-query-mismatch', `${CALLBACK}?foo=bar`, `${CALLBACK}?bar=foo`],
] as const) {
  // proves openid-conformance-14, openid-core-3.1.2.1-2
  test(`${module}: an error page`, async () => {
    const other = await tenant.register({ ...RELYING_PARTY, redirect_uris: [registered] });
    const page = await ada.browser.open(authorizationUrl(other, { redirect_uri: asked }));
    assert.deepEqual([page.status, page.location], [400, undefined]);
  });
}

// proves openid-conformance-4, rfc6749-3.1.2-2
test('oidcc-redirect-uri-query-OK: the query stays, and the answer is added to it', async () => {
  const redirect_uri = `${CALLBACK}?foo=bar`;
  const other = await tenant.register({ ...RELYING_PARTY, redirect_uris: [redirect_uri] });
  const sent = await ada.grant(other, { redirect_uri });
  assert.ok(sent.location?.startsWith(`${redirect_uri}&code=`), sent.location ?? '');
});

// proves openid-conformance-15, openid-core-13.3-1
test('oidcc-ensure-request-with-acr-values-succeeds: the ID token says how, whether or not that was asked for', async () => {
  const { id_token } = await tokensFor(tenant, ada, client, { acr_values: 'urn:x:gold' });
  assert.equal(typeof decodeJwt(String(id_token))['acr'], 'string');
});

// proves openid-conformance-15, rfc6749-3.1-1
test('oidcc-ensure-request-with-unknown-parameter-succeeds (RFC 6749 §3.1)', async () => {
  assert.ok(await codeOf({ extra: 'foobar' }));
});

// proves openid-conformance-15
test('oidcc-ensure-request-with-valid-pkce-succeeds (RFC 7636 §4.5)', async () => {
  assert.equal((await redeemed(client, { code: await codeOf(), code_verifier: VERIFIER })).status, 200);
});

// proves openid-conformance-16, openid-core-3.2.2.1-1
test('oidcc-ensure-request-without-nonce-fails, where an ID token comes from the authorisation endpoint', async () => {
  const hybrid = await tenant.register({
    ...RELYING_PARTY,
    grant_types: ['authorization_code', 'implicit'],
    response_types: ['code id_token', 'id_token'],
  });
  for (const response_type of ['code id_token', 'id_token']) {
    const sent = await ada.grant(hybrid, { response_type, nonce: undefined });
    assert.equal(answeredTo(sent)['error'], 'invalid_request');
  }
});

// proves openid-conformance-16
test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
  const { id_token } = await tokensFor(tenant, ada, client, { nonce: undefined });
  assert.equal('nonce' in decodeJwt(String(id_token)), false);
});

// proves openid-conformance-9
test('oidcc-idtoken-signature and oidcc-idtoken-rs256: RS256 with a kid, by default and where it is registered', async () => {
  const rs256 = await tenant.register({ ...RELYING_PARTY, id_token_signed_response_alg: 'RS256' });
  for (const each of [client, rs256]) {
    const { id_token } = await tokensFor(tenant, ada, each);
    const { alg, kid } = decodeProtectedHeader(String(id_token));
    assert.equal(alg, 'RS256');
    assert.match(kid ?? '', /^[\w-]{43}$/);
  }
});

// proves openid-conformance-17, openid-core-3.1.2.1-3
test('oidcc-prompt-login: the sign-in page once more, and a later auth_time', async () => {
  const first = decodeJwt(String((await tokensFor(tenant, ada, client))['id_token']));
  tenant.clock.advance(2);
  const page = await ada.ask(client, { prompt: 'login' });
  assert.match(page.html, /name="password"/);
  const code = answeredTo(await ada.signIn(page))['code'] ?? '';
  const answered = await redeemed(client, { code, code_verifier: VERIFIER });
  const second = decodeJwt(String(answered.json['id_token']));
  assert.equal(second.sub, first.sub);
  assert.equal(second['auth_time'], Number(first['auth_time']) + 2);
  assert.equal(second['sid'], first['sid'], 'the session of the same person goes on');
});

// proves openid-conformance-17, openid-core-3.1.2.1-3
test('oidcc-prompt-none-logged-in: the same person and sign-in, and no page', async () => {
  const first = decodeJwt(String((await tokensFor(tenant, ada, client))['id_token']));
  const code = answeredTo(await ada.ask(client, { prompt: 'none' }))['code'] ?? '';
  const answered = await redeemed(client, { code, code_verifier: VERIFIER });
  const second = decodeJwt(String(answered.json['id_token']));
  assert.deepEqual([second.sub, second['auth_time']], [first.sub, first['auth_time']]);
});

// proves openid-conformance-17
test('oidcc-prompt-none-not-logged-in: login_required, with state and iss and no code', async () => {
  const answered = answeredTo(await browserOf(tenant).open(authorizationUrl(client, { prompt: 'none' })));
  const { error_description: _, ...others } = answered;
  assert.deepEqual(others, { error: 'login_required', state: 'af0ifjsldkj', iss: ISSUER });
});

// proves openid-core-3.1.2.1-4, openid-core-13.3-1
test('max_age: a sign-in that is too old is not enough, one that is not is (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  await ada.grant(client, { max_age: '10' });
  tenant.clock.advance(5);
  assert.ok(answeredTo(await ada.ask(client, { max_age: '10' }))['code']);
  tenant.clock.advance(6);
  assert.match((await ada.ask(client, { max_age: '10' })).html, /name="password"/);
  assert.match((await ada.ask(client, { max_age: '0' })).html, /name="password"/);
  assert.equal(
    answeredTo(await ada.ask(client, { max_age: '10', prompt: 'none' }))['error'],
    'login_required',
  );
});

// proves openid-core-3.1.2.1-5
test('id_token_hint: its end-user goes on, even if it has expired; a different end-user has to sign in (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const id_token_hint = String((await tokensFor(tenant, ada, client))['id_token']);
  tenant.clock.advance(400);
  assert.ok(answeredTo(await ada.ask(client, { id_token_hint, prompt: 'none' }))['code']);
  const bob = await aPerson(tenant, { username: 'Bob', password: 'hunter two', claims: {} });
  await bob.grant(client);
  assert.equal(
    answeredTo(await bob.ask(client, { id_token_hint, prompt: 'none' }))['error'],
    'login_required',
  );
  assert.match((await bob.ask(client, { id_token_hint })).html, /name="password"/);
});

function requestObject(as: ClientInformation, change: Fields = {}): Readonly<Record<string, string>> {
  const { searchParams } = new URL(authorizationUrl(as, change));
  return { ...Object.fromEntries(searchParams), iss: as.client_id, aud: ISSUER };
}

const asked = (as: ClientInformation, request: string, more: Fields = {}): string =>
  `${ISSUER}/authorize?${formText({ client_id: as.client_id, response_type: 'code', scope: 'openid', request, ...more })}`;

// proves rfc9101-5-1, openid-core-6.1-1
test('a request object by value, signed with RS256: what is in it counts, and nothing beside it (RFC 9101 §6.3)', async () => {
  const request = await new SignJWT(requestObject(signing, { state: 'inside' }))
    .setProtectedHeader({ alg: 'RS256', kid: 'rp' })
    .sign(privateKey);
  const sent = await ada.browser.open(asked(signing, request, { state: 'outside', redirect_uri: CALLBACK }));
  assert.equal(answeredTo(sent)['state'], 'inside');
});

// proves openid-conformance-21
test('oidcc-ensure-request-object-with-redirect-uri: one in it that is not registered is an error page, whatever stands beside it', async () => {
  const bad = requestObject(signing, { redirect_uri: 'https://evil.example/cb' });
  const request = await new SignJWT(bad).setProtectedHeader({ alg: 'RS256', kid: 'rp' }).sign(privateKey);
  const page = await ada.browser.open(asked(signing, request, { redirect_uri: CALLBACK }));
  assert.deepEqual([page.status, page.location], [400, undefined]);
});

// proves openid-conformance-22
test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: rejected', async () => {
  const unsigned = new UnsecuredJWT(requestObject(client)).encode();
  const sent = await ada.browser.open(asked(client, unsigned, { redirect_uri: CALLBACK, state: 's' }));
  assert.equal(answeredTo(sent)['error'], 'invalid_request_object');
});

// proves openid-conformance-22, rfc9101-5.2-1, openid-core-6.2-1
test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: rejected, and nothing is fetched', async () => {
  const request_uri = 'https://client.example/request';
  const sent = await ada.browser.open(authorizationUrl(client, { request_uri }));
  assert.equal(answeredTo(sent)['error'], 'request_uri_not_supported');
});

// proves openid-conformance-20, openid-core-11-1
test('oidcc-refresh-token-rp-key-rotation: offline_access after consent, and a refresh token of allowed characters', async () => {
  const page = await ada.ask(client, { scope: 'openid offline_access', prompt: 'consent' });
  assert.match(page.html, /value="allow"/);
  const code = answeredTo(await ada.browser.submit(page, 'allow'))['code'] ?? '';
  const answered = await redeemed(client, { code, code_verifier: VERIFIER });
  assert.match(String(answered.json['refresh_token']), /^[\x20-\x7e]+$/);
  assert.equal(answered.json['scope'], 'openid offline_access');
});

// proves openid-conformance-11
test('oidcc-codereuse: invalid_grant as JSON, and what the first use gave is dead', async () => {
  const form = { code: await codeOf(), code_verifier: VERIFIER };
  const first = await redeemed(client, form);
  assertError(await redeemed(client, form), 'invalid_grant');
  const told = await tenant.send('userinfo', { bearer: String(first.json['access_token']) });
  assert.equal(told.status, 401);
});

// proves openid-conformance-8
test('oidcc-registration-logo-uri, -policy-uri and -tos-uri: all are on the pages where one signs in and agrees', async () => {
  const shown = await tenant.register({
    ...RELYING_PARTY,
    policy_uri: 'https://client.example/policy',
    tos_uri: 'https://client.example/tos',
    logo_uri: 'https://client.example/logo.png',
  });
  for (const prompt of ['login', 'consent']) {
    const { html } = await ada.ask(shown, { prompt });
    assert.match(html, prompt === 'login' ? /name="password"/ : /value="allow"/);
    assert.match(html, /href="https:\/\/client\.example\/policy"/);
    assert.match(html, /href="https:\/\/client\.example\/tos"/);
    assert.match(html, /<img class="logo" src="\/c2\/logos\/[^"]+" alt="">/);
    assert.doesNotMatch(html, /logo\.png/);
  }
});

// proves openid-conformance-12
test('oidcc-ensure-client-assertion-with-iss-aud-succeeds: the issuer as the audience of a client assertion, of either method', async () => {
  for (const make of Object.values(ASSERTING)) {
    const asserting = await make(tenant, RELYING_PARTY);
    const { client_id } = asserting;
    const redeem = async (aud: string): Promise<Answer> => {
      const iat = tenant.clock.now();
      const assertion = asserting.sign(claimsOf(client_id, { aud, iat, exp: iat + 60 }));
      const code = await codeOf({}, asserting);
      const form = {
        grant_type: 'authorization_code',
        redirect_uri: CALLBACK,
        code,
        code_verifier: VERIFIER,
      };
      return await tenant.send('token', { form: asserted(assertion, form) });
    };
    const answered = await redeem(ISSUER);
    assert.equal(answered.status, 200, answered.body);
    assert.equal(answered.headers['content-type'], 'application/json');
    assert.equal(typeof answered.json['access_token'], 'string');
    assertError(await redeem('https://another.example/c2'), 'invalid_client');
  }
});
