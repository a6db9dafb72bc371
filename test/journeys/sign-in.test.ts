import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CompactEncrypt, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import * as client from 'openid-client';
import { developer } from '../program/developer.ts';
import { formOf, type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';

/** openid-client, version 6, as relying party, and a browser without scripts, at the development server. */
const CALLBACK = 'https://rp.example/cb';
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({ mode: 'dev', issuerPath: '/c2' });
  account = await developer(program);
});

after(async () => {
  await program.stop();
});

async function relyingParty(
  metadata: object = {},
  authentication = client.ClientSecretBasic(),
): Promise<client.Configuration> {
  return await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      client_name: 'Journey',
      ...metadata,
    },
    authentication,
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
}

/** Through every page that comes, to the client. */
async function through(browser: PlainBrowser, url: URL): Promise<Visit> {
  let page = await browser.open(url.href);
  if (page.html.includes('name="password"')) page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  return page;
}

const addressOf = ({ location = '' }: Visit): URL => new URL(location);

interface Checks {
  readonly pkceCodeVerifier: string;
  readonly expectedState: string;
  readonly expectedNonce: string;
}

async function asked(
  more: Readonly<Record<string, string>> = {},
): Promise<{ readonly parameters: Record<string, string>; readonly checks: Checks }> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const checks = {
    pkceCodeVerifier,
    expectedState: client.randomState(),
    expectedNonce: client.randomNonce(),
  };
  const parameters = {
    redirect_uri: CALLBACK,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: checks.expectedState,
    nonce: checks.expectedNonce,
    ...more,
  };
  return { parameters, checks };
}

/** The end of every variant: tokens that are checked, and UserInfo about the same person. */
async function tokensAt(rp: client.Configuration, answer: URL | Request, checks: Checks): Promise<string> {
  const tokens = await client.authorizationCodeGrant(rp, answer, checks);
  const claims = tokens.claims();
  assert.equal(claims?.iss, program.issuer);
  const told = await client.fetchUserInfo(rp, tokens.access_token, claims?.sub ?? '');
  assert.equal(told.email, 'developer@example.com');
  return tokens.refresh_token ?? '';
}

test('openid-client: sign in, code, tokens, UserInfo, refreshed tokens, under an issuer with a path', async () => {
  const rp = await relyingParty();
  const { parameters, checks } = await asked();
  const answered = await through(plainBrowser(program.issuer), client.buildAuthorizationUrl(rp, parameters));
  const refresh_token = await tokensAt(rp, addressOf(answered), checks);
  const refreshed = await client.refreshTokenGrant(rp, refresh_token);
  assert.equal(refreshed.claims()?.iss, program.issuer);
});

test('openid-client: a public client', async () => {
  const rp = await relyingParty({ token_endpoint_auth_method: 'none' }, client.None());
  const { parameters, checks } = await asked();
  const browser = plainBrowser(program.issuer);
  await tokensAt(rp, addressOf(await through(browser, client.buildAuthorizationUrl(rp, parameters))), checks);
});

// proves rfc9126-4-1
test('openid-client: pushed requests (RFC 9126)', async () => {
  const rp = await relyingParty({ require_pushed_authorization_requests: true });
  const { parameters, checks } = await asked();
  const url = await client.buildAuthorizationUrlWithPAR(rp, parameters);
  assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
  await tokensAt(rp, addressOf(await through(plainBrowser(program.issuer), url)), checks);
});

// proves rfc9101-6.1-1
test('openid-client: signed request objects (RFC 9101), and encrypted to a key of the server', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const rp = await relyingParty({
    jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'rp', use: 'sig' }] },
    request_object_signing_alg: 'ES256',
    require_signed_request_object: true,
  });
  const { parameters, checks } = await asked();
  const url = await client.buildAuthorizationUrlWithJAR(rp, parameters, { key: privateKey, kid: 'rp' });
  const browser = plainBrowser(program.issuer);
  await tokensAt(rp, addressOf(await through(browser, url)), checks);

  const signed = url.searchParams.get('request') ?? '';
  const { keys } = (await (await fetch(`${program.issuer}/jwks.json`)).json()) as { keys: JWK[] };
  const key = keys.find(({ use, kty }) => use === 'enc' && kty === 'RSA') ?? assert.fail('no key');
  const encrypted = await new CompactEncrypt(new TextEncoder().encode(signed))
    .setProtectedHeader({
      alg: 'RSA-OAEP-256',
      enc: 'A256GCM',
      cty: 'JWT',
      ...(key.kid === undefined ? {} : { kid: key.kid }),
    })
    .encrypt(await importJWK(key, 'RSA-OAEP-256'));
  url.searchParams.set('request', encrypted);
  await tokensAt(rp, addressOf(await through(browser, url)), checks);
});

// proves jarm-2.1-1
test('openid-client: JWT responses (JARM)', async () => {
  const rp = await relyingParty({ authorization_signed_response_alg: 'PS256' });
  client.useJwtResponseMode(rp);
  const { parameters, checks } = await asked();
  const url = client.buildAuthorizationUrl(rp, parameters);
  const answered = addressOf(await through(plainBrowser(program.issuer), url));
  assert.deepEqual([...answered.searchParams.keys()], ['response']);
  await tokensAt(rp, answered, checks);
});

// proves openid-form-post-2-1
test('openid-client: form_post', async () => {
  const rp = await relyingParty();
  const { parameters, checks } = await asked({ response_mode: 'form_post' });
  const page = await through(plainBrowser(program.issuer), client.buildAuthorizationUrl(rp, parameters));
  const { action, hidden } = formOf(page.html);
  assert.equal(action, CALLBACK);
  const request = new Request(CALLBACK, { method: 'POST', body: new URLSearchParams(hidden) });
  await tokensAt(rp, request, checks);
});

test('openid-client: code id_token, whose ID token comes in the fragment and is bound to the code (OpenID Connect Core 1.0 §3.3)', async () => {
  const rp = await relyingParty({
    grant_types: ['authorization_code', 'implicit', 'refresh_token'],
    response_types: ['code id_token'],
  });
  client.useCodeIdTokenResponseType(rp);
  const { parameters, checks } = await asked();
  const browser = plainBrowser(program.issuer);
  const answered = addressOf(await through(browser, client.buildAuthorizationUrl(rp, parameters)));
  assert.equal(answered.search, '');
  await tokensAt(rp, answered, checks);
});

test('openid-client: id_token alone, with what the scope asks for in it (OpenID Connect Core 1.0 §3.2, §5.4)', async () => {
  const rp = await relyingParty({ grant_types: ['implicit'], response_types: ['id_token'] }, client.None());
  client.useIdTokenResponseType(rp);
  const { expectedState, expectedNonce } = (await asked()).checks;
  const url = client.buildAuthorizationUrl(rp, {
    redirect_uri: CALLBACK,
    scope: 'openid email',
    state: expectedState,
    nonce: expectedNonce,
  });
  const answered = addressOf(await through(plainBrowser(program.issuer), url));
  const claims = await client.implicitAuthentication(rp, answered, expectedNonce, { expectedState });
  assert.equal(claims['email'], 'developer@example.com');
});

test('openid-client: an encrypted ID token, and UserInfo as a JWT', async () => {
  const { publicKey, privateKey } = await generateKeyPair('RSA-OAEP-256', { extractable: true });
  const rp = await relyingParty({
    jwks: { keys: [{ ...(await exportJWK(publicKey)), use: 'enc', kid: 'enc' }] },
    id_token_encrypted_response_alg: 'RSA-OAEP-256',
    userinfo_signed_response_alg: 'ES256',
  });
  client.enableDecryptingResponses(rp, undefined, { key: privateKey, kid: 'enc' });
  const { parameters, checks } = await asked();
  const browser = plainBrowser(program.issuer);
  await tokensAt(rp, addressOf(await through(browser, client.buildAuthorizationUrl(rp, parameters))), checks);
});

// proves openid-core-13.3-1
test('openid-client: silent, after signing in once, and an error that it understands (OpenID Connect Core 1.0 §3.1.2.6)', async () => {
  const rp = await relyingParty();
  const browser = plainBrowser(program.issuer);
  const { parameters, checks } = await asked({ prompt: 'none' });
  const url = client.buildAuthorizationUrl(rp, parameters);
  await assert.rejects(tokensAt(rp, addressOf(await browser.open(url.href)), checks), {
    error: 'login_required',
  });
  await through(browser, client.buildAuthorizationUrl(rp, (await asked()).parameters));
  await tokensAt(rp, addressOf(await browser.open(url.href)), checks);
});

test('openid-client: the password grant, for a client that the operator registered for it (RFC 6749 §4.3)', async () => {
  const rp = await relyingParty({ grant_types: ['password'], redirect_uris: undefined });
  const { username, password } = account;
  const tokens = await client.genericGrantRequest(rp, 'password', {
    username,
    password,
    scope: 'openid email',
  });
  const told = await client.fetchUserInfo(rp, tokens.access_token, tokens.claims()?.sub ?? '');
  assert.equal(told.email, 'developer@example.com');
});
