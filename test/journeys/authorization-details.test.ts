import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as oauth from 'oauth4webapi';
import * as client from 'openid-client';
import { ACCOUNTS, PAYMENT, payment } from '../../src/testing/authorization-details.ts';
import { installClients } from '../clients/installed.ts';
import { developer } from '../program/developer.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { REPOSITORY } from './launcher.ts';
import { startPrinting } from './printing-example.ts';

/** Clients of another author ask for a payment and for accounts (RFC 9396). */
const CALLBACK = 'https://rp.example/cb';
const insecure = { [oauth.allowInsecureRequests]: true } as const;
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: { CHANCERY_AUTHORIZATION_DETAILS_TYPES: JSON.stringify([PAYMENT, ACCOUNTS]) },
  });
  account = await developer(program);
});

after(() => program.stop());

// proves rfc9396-3-2, rfc9396-7-1
test('openid-client pushes a payment, its person reads and allows it, and the tokens name it; a refresh asks for less (RFC 9396 §3, §6, §7)', async () => {
  const configuration = await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      redirect_uris: [CALLBACK],
      grant_types: ['authorization_code', 'refresh_token'],
      authorization_details_types: [PAYMENT.type, ACCOUNTS.type],
      client_name: 'Journey',
    },
    client.ClientSecretBasic(),
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
  assert.deepEqual(configuration.serverMetadata()['authorization_details_types_supported'], [
    PAYMENT.type,
    ACCOUNTS.type,
  ]);
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const accounts = { type: ACCOUNTS.type, actions: ['list'] };
  const url = await client.buildAuthorizationUrlWithPAR(configuration, {
    redirect_uri: CALLBACK,
    scope: 'openid offline_access',
    authorization_details: JSON.stringify([payment(), accounts]),
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const browser = plainBrowser(program.issuer);
  const page = await browser.submit(await browser.open(url.href), 'sign-in', account);
  assert.match(page.html, /Merchant A/);
  const answered = await browser.submit(page, 'allow');
  const tokens = await client.authorizationCodeGrant(configuration, new URL(answered.location ?? ''), {
    pkceCodeVerifier,
  });
  assert.deepEqual(tokens.authorization_details, [payment(), accounts]);
  const less = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', {
    authorization_details: JSON.stringify([accounts]),
  });
  assert.deepEqual(less.authorization_details, [accounts]);
  await assert.rejects(
    client.refreshTokenGrant(configuration, tokens.refresh_token ?? '', {
      authorization_details: JSON.stringify([payment({ creditorName: 'Mallory' })]),
    }),
    { error: 'invalid_authorization_details' },
  );
});

// proves rfc9396-6-2, rfc9396-9.2-1
test('oauth4webapi asks for details for itself, and introspection shows them; an unknown type is invalid_authorization_details (RFC 9396 §5, §6, §9.2)', async () => {
  const issuer = new URL(program.issuer);
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
  const registration = await oauth.dynamicClientRegistrationRequest(
    server,
    {
      grant_types: ['client_credentials'],
      scope: `${program.issuer}/token/introspect`,
      authorization_details_types: [ACCOUNTS.type],
    },
    { ...insecure, initialAccessToken: program.masterToken },
  );
  const registered = await oauth.processDynamicClientRegistrationResponse(registration);
  const { client_secret } = registered;
  assert.ok(typeof client_secret === 'string');
  const authentication = oauth.ClientSecretBasic(client_secret);
  const ask = async (type: string) =>
    await oauth.processClientCredentialsResponse(
      server,
      registered,
      await oauth.clientCredentialsGrantRequest(
        server,
        registered,
        authentication,
        { scope: `${program.issuer}/token/introspect`, authorization_details: JSON.stringify([{ type }]) },
        insecure,
      ),
    );
  const { access_token, authorization_details } = await ask(ACCOUNTS.type);
  assert.deepEqual(authorization_details, [{ type: ACCOUNTS.type }]);
  const seen = await oauth.processIntrospectionResponse(
    server,
    registered,
    await oauth.introspectionRequest(server, registered, authentication, access_token, insecure),
  );
  assert.deepEqual(seen['authorization_details'], [{ type: ACCOUNTS.type }]);
  await assert.rejects(
    ask('x'),
    (failure) =>
      failure instanceof oauth.ResponseBodyError && failure.error === 'invalid_authorization_details',
  );
});

test('examples/payment asks its person for one payment, and prints what was permitted (docs/operate/authorization-details.md)', async () => {
  await installClients('examples');
  const folder = mkdtempSync(join(tmpdir(), 'chancery-payment-'));
  const example = join(REPOSITORY, 'examples/payment');
  try {
    const metadata: unknown = JSON.parse(readFileSync(join(example, 'client.json'), 'utf8'));
    const types: unknown = JSON.parse(readFileSync(join(example, 'types.json'), 'utf8'));
    const registered = await client.dynamicClientRegistration(
      new URL(program.issuer),
      metadata as Partial<client.ClientMetadata>,
      client.ClientSecretBasic(),
      { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
    );
    assert.ok(Array.isArray(types));
    const credentials = join(folder, 'payment.json');
    writeFileSync(credentials, JSON.stringify(registered.clientMetadata()));
    const words = [
      join(example, 'pay.mjs'),
      '--credentials',
      credentials,
      '--issuer',
      program.issuer,
      '--port',
      '0',
    ];
    const shop = await startPrinting(words, /^Open (\S+)$/m);
    const browser = plainBrowser(program.issuer);
    const signedIn = await browser.submit(await browser.open(shop.shown[0] ?? ''), 'sign-in', account);
    const { location = '' } = await browser.submit(signedIn, 'allow');
    assert.equal((await fetch(location)).status, 200);
    assert.match(
      await shop.output,
      /^Permitted: \[\{"type":"payment_initiation",.*"creditorName":"Merchant A"\}\]$/m,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
