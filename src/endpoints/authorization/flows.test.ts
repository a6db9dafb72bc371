import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { decodeJwt, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { type Fields, formText, VERIFIER } from '../../../test/program/code-request.ts';
import type { Answer } from '../../testing/exchange.ts';
import { answeredTo, aPerson, authorizationUrl, RELYING_PARTY } from '../../testing/person.ts';
import { CALLBACK, type ClientInformation, ISSUER, testTenant } from '../../testing/tenant.ts';
import { tokensFor } from '../../testing/userinfo.ts';

/** Flows and requests of the authorisation endpoint as a whole. The modules of the conformance suite are in test/conformance. */
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

async function redeemed(as: ClientInformation, form: Readonly<Record<string, string>>): Promise<Answer> {
  return await tenant.send('token', {
    basic: [as.client_id, as.client_secret],
    form: { grant_type: 'authorization_code', redirect_uri: CALLBACK, ...form },
  });
}

function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url');
}

// proves openid-core-3.2.2.1-1, openid-core-3.2.2.5-1, openid-core-3.3.2.11-1
test('the hybrid flow: at_hash, c_hash and s_hash bind the ID token to what came with it (OpenID Connect Core 1.0 §3.3.2.11, FAPI 1.0 Advanced §5.2.2.1)', async () => {
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
  assert.equal(front['s_hash'], halfHash(answeredTo(sent)['state'] ?? ''));
  assert.equal(front['nonce'], 'n-0S6_WzA2Mj');
  const answered = await redeemed(hybrid, { code, code_verifier: VERIFIER });
  const back = decodeJwt(String(answered.json['id_token']));
  assert.equal(back['s_hash'], undefined, 'the token response has no state');
  for (const name of ['iss', 'sub', 'aud', 'nonce', 'auth_time', 'sid'])
    assert.deepEqual(back[name], front[name], name);
  const told = await tenant.send('userinfo', { bearer: access_token });
  assert.equal(told.json['sub'], front.sub);
});

// proves rfc6749-4.2.2-1, openid-core-3.2.2.5-1, openid-core-5.4-1
test('the implicit flow: an ID token alone, and with an access token (OpenID Connect Core 1.0 §3.2.2.5)', async () => {
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
test('a redirect_uri in a signed request object that is not registered is an error page, whatever stands beside it', async () => {
  const bad = requestObject(signing, { redirect_uri: 'https://evil.example/cb' });
  const request = await new SignJWT(bad).setProtectedHeader({ alg: 'RS256', kid: 'rp' }).sign(privateKey);
  const page = await ada.browser.open(asked(signing, request, { redirect_uri: CALLBACK }));
  assert.deepEqual([page.status, page.location], [400, undefined]);
});

// proves openid-conformance-22
test('an unsigned request object: invalid_request_object', async () => {
  const unsigned = new UnsecuredJWT(requestObject(client)).encode();
  const sent = await ada.browser.open(asked(client, unsigned, { redirect_uri: CALLBACK, state: 's' }));
  assert.equal(answeredTo(sent)['error'], 'invalid_request_object');
});

// proves openid-conformance-22, rfc9101-5.2-1, openid-core-6.2-1
test('a request_uri that is not registered: rejected, and nothing is fetched', async () => {
  const request_uri = 'https://client.example/request';
  const sent = await ada.browser.open(authorizationUrl(client, { request_uri }));
  assert.equal(answeredTo(sent)['error'], 'request_uri_not_supported');
});

// proves openid-conformance-8
test('logo, policy and terms of a client are on the pages where a person signs in and agrees', async () => {
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
