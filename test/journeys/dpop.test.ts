import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { developer } from '../program/developer.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Clients of another author bind their tokens to a key, at a server that requires its nonces (RFC 9449). */
const CALLBACK = 'https://rp.example/cb';
const insecure = { [oauth.allowInsecureRequests]: true } as const;
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: { CHANCERY_DPOP_NONCES: 'required' },
  });
  account = await developer(program);
});

after(() => program.stop());

// proves rfc9449-5-1, rfc9449-7.1-1, rfc9449-8-1
test('openid-client registers a public client, pushes its request, signs a person in, reads claims and refreshes, all with DPoP and nonces (RFC 9449)', async () => {
  const configuration = await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
      dpop_bound_access_tokens: true,
      client_name: 'Journey',
    },
    client.None(),
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
  assert.equal(configuration.clientMetadata()['dpop_bound_access_tokens'], true);
  const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair('ES256'));
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const url = await client.buildAuthorizationUrlWithPAR(
    configuration,
    {
      redirect_uri: CALLBACK,
      scope: 'openid profile offline_access',
      prompt: 'consent',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    },
    { DPoP },
  );
  const browser = plainBrowser(program.issuer);
  let page = await browser.open(url.href);
  page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  const answered = new URL(page.location ?? '');
  const tokens = await client.authorizationCodeGrant(
    configuration,
    answered,
    { pkceCodeVerifier },
    undefined,
    { DPoP },
  );
  assert.equal(tokens.token_type, 'dpop');
  const { sub = '' } = tokens.claims() ?? {};
  const claims = await client.fetchUserInfo(configuration, tokens.access_token, sub, { DPoP });
  assert.equal(claims.sub, sub);
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', undefined, {
    DPoP,
  });
  assert.equal(refreshed.token_type, 'dpop');
  assert.equal((await client.fetchUserInfo(configuration, refreshed.access_token, sub, { DPoP })).sub, sub);
});

// proves rfc9449-6.2-1
test('oauth4webapi gets a bound token after use_dpop_nonce, and introspection shows the thumbprint of its key (RFC 9449 §6.2, §8)', async () => {
  const issuer = new URL(program.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  assert.ok(server.dpop_signing_alg_values_supported?.includes('ES256'));
  const registration = await oauth.dynamicClientRegistrationRequest(
    server,
    { grant_types: ['client_credentials'], scope: `${program.issuer}/token/introspect` },
    { ...insecure, initialAccessToken: program.masterToken },
  );
  const registered = await oauth.processDynamicClientRegistrationResponse(registration);
  const { client_secret } = registered;
  assert.ok(typeof client_secret === 'string');
  const authentication = oauth.ClientSecretBasic(client_secret);
  const keys = await oauth.generateKeyPair('ES256');
  const DPoP = oauth.DPoP({}, keys);
  const ask = async () =>
    await oauth.processClientCredentialsResponse(
      server,
      registered,
      await oauth.clientCredentialsGrantRequest(
        server,
        registered,
        authentication,
        {},
        { ...insecure, DPoP },
      ),
    );
  await assert.rejects(ask(), (failure) => oauth.isDPoPNonceError(failure));
  const { access_token, token_type } = await ask();
  assert.equal(token_type, 'dpop');
  const { cnf, ...seen } = await oauth.processIntrospectionResponse(
    server,
    registered,
    await oauth.introspectionRequest(server, registered, authentication, access_token, insecure),
  );
  assert.equal(seen.token_type, 'DPoP');
  assert.deepEqual(cnf, { jkt: await DPoP.calculateThumbprint() });
});
