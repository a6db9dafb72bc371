import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { developer } from '../program/developer.ts';
import { type PlainBrowser, plainBrowser, type Visit } from '../program/plain-browser.ts';
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

async function relyingParty(metadata: object = {}): Promise<client.Configuration> {
  return await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      client_name: 'Journey',
      ...metadata,
    },
    client.ClientSecretBasic(),
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

test('openid-client: sign in, code, tokens, refreshed tokens, under an issuer with a path', async () => {
  const rp = await relyingParty();
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
  const url = client.buildAuthorizationUrl(rp, {
    redirect_uri: CALLBACK,
    scope: 'openid email',
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  });
  const answered = await through(plainBrowser(program.issuer), url);
  const tokens = await client.authorizationCodeGrant(rp, addressOf(answered), {
    pkceCodeVerifier,
    expectedState,
    expectedNonce,
  });
  const claims = tokens.claims();
  assert.equal(claims?.iss, program.issuer);
  const refreshed = await client.refreshTokenGrant(rp, tokens.refresh_token ?? '');
  assert.equal(refreshed.claims()?.sub, claims?.sub);
});
