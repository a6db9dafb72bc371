import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { installClients } from '../clients/installed.ts';
import { developer } from '../program/developer.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { REPOSITORY } from './launcher.ts';
import { startPrinting } from './printing-example.ts';

/** A device with openid-client, and its person in front of a browser, at a development server that answers quickly. */
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
let program: Program;
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: { CHANCERY_DEVICE_INTERVAL: '1' },
  });
  account = await developer(program);
});

after(() => program.stop());

async function device(): Promise<client.Configuration> {
  return await client.dynamicClientRegistration(
    new URL(program.issuer),
    {
      grant_types: [DEVICE_GRANT, 'refresh_token'],
      response_types: [],
      token_endpoint_auth_method: 'none',
      client_name: 'Television',
    },
    client.None(),
    { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
  );
}

// proves rfc8628-3.3-1, rfc8628-3.4-1
test('openid-client: a device shows its code, its person allows it by the complete address, and the device gets tokens and claims (RFC 8628 §3)', async () => {
  const configuration = await device();
  const begun = await client.initiateDeviceAuthorization(configuration, {
    scope: 'openid profile offline_access',
  });
  const polling = client.pollDeviceAuthorizationGrant(configuration, begun);
  const browser = plainBrowser(program.issuer);
  let page = await browser.open(String(begun.verification_uri_complete));
  page = await browser.submit(page, 'continue', { user_code: begun.user_code });
  page = await browser.submit(page, 'sign-in', account);
  assert.ok(page.html.includes(begun.user_code));
  page = await browser.submit(page, 'allow');
  assert.match(page.html, /Your device is connected/);
  const tokens = await polling;
  const { sub = '' } = tokens.claims() ?? {};
  assert.equal((await client.fetchUserInfo(configuration, tokens.access_token, sub)).sub, sub);
  const refreshed = await client.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
  assert.equal((await client.fetchUserInfo(configuration, refreshed.access_token, sub)).sub, sub);
});

test('openid-client: a person who refuses makes the device stop with access_denied (RFC 8628 §3.5)', async () => {
  const configuration = await device();
  const begun = await client.initiateDeviceAuthorization(configuration, { scope: 'openid' });
  const polling = client.pollDeviceAuthorizationGrant(configuration, begun);
  const browser = plainBrowser(program.issuer);
  const [page] = await Promise.all([
    (async () => {
      const shown = await browser.open(begun.verification_uri);
      const signIn = await browser.submit(shown, 'continue', { user_code: begun.user_code.toLowerCase() });
      return await browser.submit(await browser.submit(signIn, 'sign-in', account), 'deny');
    })(),
    assert.rejects(polling, { error: 'access_denied' }),
  ]);
  assert.match(page.html, /Access denied/);
});

test('examples/television shows its code, its person allows it, and only the television can use the token (RFC 8628, RFC 9449)', async () => {
  await installClients('examples');
  const example = join(REPOSITORY, 'examples/television');
  const folder = mkdtempSync(join(tmpdir(), 'chancery-television-'));
  try {
    const metadata: unknown = JSON.parse(readFileSync(join(example, 'television.json'), 'utf8'));
    const registered = await client.dynamicClientRegistration(
      new URL(program.issuer),
      metadata as Partial<client.ClientMetadata>,
      client.None(),
      { execute: [client.allowInsecureRequests], initialAccessToken: program.masterToken },
    );
    const credentials = join(folder, 'television.json');
    writeFileSync(credentials, JSON.stringify(registered.clientMetadata()));
    const words = [join(example, 'television.mjs'), '--credentials', credentials, '--issuer', program.issuer];
    const television = await startPrinting(words, /^Open (\S+) and enter (\S+)$/m);
    const [address = '', user_code = ''] = television.shown;
    const browser = plainBrowser(program.issuer);
    const signIn = await browser.submit(await browser.open(address), 'continue', { user_code });
    await browser.submit(await browser.submit(signIn, 'sign-in', account), 'allow');
    assert.match(await television.output, /^Signed in: .+, with a token of the type dpop$/m);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
