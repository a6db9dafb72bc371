import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportJWK, generateKeyPair } from 'jose';
import * as client from 'openid-client';
import { installClients } from '../clients/installed.ts';
import { developer } from '../program/developer.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { ENCRYPTION_KEY, type Program, startProgram } from '../program/start.ts';
import { storageUrl } from '../program/storage-place.ts';
import { chancery } from './command.ts';
import { REPOSITORY } from './launcher.ts';
import { startPrinting } from './printing-example.ts';

/** A client of another author meets a server with FAPI 2.0 Message Signing, which contains the Security Profile. */
const CALLBACK = 'https://rp.example/cb';
const KEYS = await generateKeyPair('PS256', { extractable: true });
const PROFILE = 'fapi-2.0-message-signing';
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/bank',
    environment: { CHANCERY_PROFILE: PROFILE, CHANCERY_DIRECT_AUTHORIZATION_TOKEN_SHA256: '' },
  });
  account = await developer(program);
});
after(() => program.stop());

const METADATA = {
  redirect_uris: [CALLBACK],
  grant_types: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_method: 'private_key_jwt',
  client_name: 'Bank',
};

async function registered(): Promise<client.Configuration> {
  const jwks = { keys: [{ ...(await exportJWK(KEYS.publicKey)), kid: 'bank', alg: 'PS256' }] };
  const made = await client.dynamicClientRegistration(
    new URL(program.issuer),
    { ...METADATA, jwks },
    client.PrivateKeyJwt({ key: KEYS.privateKey, kid: 'bank' }),
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
  client.useJwtResponseMode(made);
  return made;
}

async function signedIn(url: URL): Promise<URL> {
  const browser = plainBrowser(program.issuer);
  let page = await browser.open(url.href);
  page = await browser.submit(page, 'sign-in', account);
  if (page.html.includes('value="allow"')) page = await browser.submit(page, 'allow');
  return new URL(page.location ?? '');
}

// proves fapi2-ms-5.3.1-1, fapi2-ms-5.4.1-1, fapi2-sp-5.3.2.1-4, fapi2-sp-5.3.2.1-6
test('openid-client registers, signs its request, pushes it, reads the signed response, and uses bound tokens, with its FAPI options (FAPI 2.0 Message Signing §5.3, §5.4)', async () => {
  const configuration = await registered();
  const { dpop_bound_access_tokens, id_token_signed_response_alg } = configuration.clientMetadata();
  assert.deepEqual([dpop_bound_access_tokens, id_token_signed_response_alg], [true, 'PS256']);
  const server = configuration.serverMetadata();
  assert.equal(server.require_pushed_authorization_requests, true);
  assert.equal(server['require_signed_request_object'], true);
  const DPoP = client.getDPoPHandle(configuration, await client.randomDPoPKeyPair('ES256'));
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
  const signed = await client.buildAuthorizationUrlWithJAR(
    configuration,
    {
      redirect_uri: CALLBACK,
      scope: 'openid profile',
      state: expectedState,
      response_mode: 'jwt',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    },
    { key: KEYS.privateKey, kid: 'bank' },
  );
  const url = await client.buildAuthorizationUrlWithPAR(configuration, signed.searchParams, { DPoP });
  assert.deepEqual([...url.searchParams.keys()].toSorted(), ['client_id', 'request_uri']);
  const returned = await signedIn(url);
  assert.deepEqual([...returned.searchParams.keys()], ['response']);
  const tokens = await client.authorizationCodeGrant(
    configuration,
    returned,
    { pkceCodeVerifier, expectedState },
    undefined,
    { DPoP },
  );
  assert.equal(tokens.token_type, 'dpop');
  const { sub = '' } = tokens.claims() ?? {};
  assert.equal((await client.fetchUserInfo(configuration, tokens.access_token, sub, { DPoP })).sub, sub);
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', undefined, {
    DPoP,
  });
  assert.equal(refreshed.token_type, 'dpop');
  await assert.rejects(
    client.refreshTokenGrant(configuration, tokens.refresh_token ?? ''),
    (failure) => failure instanceof client.ResponseBodyError && failure.error === 'invalid_dpop_proof',
  );
});

test('examples/fapi registers itself with a key, signs its request, reads the signed answer, and gets a token that only it can use (docs/guides/fapi.md)', async () => {
  await installClients('examples');
  const words = ['--issuer', program.issuer, '--initial-access-token', program.masterToken, '--port', '0'];
  const example = await startPrinting(
    [join(REPOSITORY, 'examples/fapi/sign-in.mjs'), ...words],
    /^Open (\S+)$/m,
  );
  const returned = await signedIn(new URL(example.shown[0] ?? ''));
  assert.equal((await fetch(returned)).status, 200);
  assert.match(await example.output, /^Signed in: \w+, with a token of the type dpop$/m);
});

test('chancery clients fapi-report says the same of the database and of the server, and ends with 1 as long as a client lacks something', async () => {
  await registered();
  const shop = join(program.folder, 'shop.json');
  const token = join(program.folder, 'admin-token');
  writeFileSync(shop, JSON.stringify({ redirect_uris: [CALLBACK], client_name: 'Shop' }));
  writeFileSync(token, program.adminToken, { mode: 0o600 });
  // Its settings have no profile: so a client came to be that the profile refuses.
  const beside = {
    CHANCERY_ISSUER: program.issuer,
    CHANCERY_STORAGE_URL: await storageUrl(program.folder),
    CHANCERY_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
  const made = await chancery(['clients', 'create', shop, '--mode', 'development'], beside);
  assert.equal(made.how, 0, made.stderr);
  const words = ['clients', 'fapi-report', '--profile', PROFILE];
  const local = await chancery([...words, '--mode', 'development'], beside);
  assert.deepEqual([local.how, local.stderr], [1, '']);
  assert.match(local.stdout, /^\S+ \(Bank\): fits$/mu);
  assert.match(local.stdout, /^\S+ \(Shop\): lacks 4 things$/mu);
  assert.match(local.stdout, /^ {4}remedy: set id_token_signed_response_alg to "PS256"$/mu);
  const remote = await chancery([...words, '--server', program.managementUrl, '--token-file', token], {});
  assert.deepEqual([remote.how, remote.stdout], [1, local.stdout], remote.stderr);
});
