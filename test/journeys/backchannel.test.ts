import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import * as openid from 'openid-client';
import { listeningPort } from '../../src/testing/listening-port.ts';
import { endedWithTests } from '../program/children.ts';
import { developer } from '../program/developer.ts';
import { inheritedEnvironment } from '../program/inherited-environment.ts';
import { type PlainBrowser, plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { chancery } from './command.ts';
import { credentialsOf } from './enterprise.ts';
import { REPOSITORY } from './launcher.ts';
import { jsonLines } from './registry-commands.ts';

/** Clients without a browser: openid-client and examples/till, and a person at a server in development that answers quickly. */
const TILL = join(REPOSITORY, 'examples/till');
const files = mkdtempSync(join(tmpdir(), 'chancery-till-'));
const metadata = JSON.parse(readFileSync(join(TILL, 'till.json'), 'utf8')) as openid.ClientMetadata;
let program: Program;
let account: { readonly username: string; readonly password: string };
let browser: PlainBrowser;
/** The requests of notifications. */
const notified: string[] = [];
const receiver = createServer((request, response) => {
  notified.push(`${request.method} ${request.headers.authorization}`);
  response.writeHead(204).end();
});

before(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  program = await startProgram({
    mode: 'dev',
    issuerPath: '/c2',
    environment: {
      CHANCERY_CIBA_ENABLED: 'true',
      CHANCERY_CIBA_INTERVAL: '1',
      CHANCERY_OUTBOUND_ALLOW_HTTP: 'true',
      CHANCERY_OUTBOUND_ALLOW_NETWORKS: '127.0.0.0/8',
    },
  });
  account = await developer(program);
  browser = plainBrowser(program.issuer);
});

after(async () => {
  receiver.close();
  await program.stop();
  rmSync(files, { recursive: true });
});

const registered = async (change: Partial<openid.ClientMetadata> = {}): Promise<openid.Configuration> =>
  await openid.dynamicClientRegistration(
    new URL(program.issuer),
    { ...metadata, ...change },
    openid.ClientSecretBasic(),
    { execute: [openid.allowInsecureRequests], initialAccessToken: program.masterToken },
  );

/** Signs in if the page asks for it, and answers the only request. */
async function answer(choice: 'allow' | 'deny'): Promise<string> {
  let page = await browser.open(`${program.issuer}/account/requests`);
  if (page.html.includes('name="password"')) page = await browser.submit(page, 'sign-in', account);
  const { html } =
    choice === 'deny'
      ? await browser.submit(page, 'deny')
      : await browser.submit(await browser.submit(page, 'review'), 'allow');
  return html;
}

test('openid-client: a client asks, the person allows, and the client gets tokens and claims (OpenID Connect CIBA Core 1.0 §7, §10.1)', async () => {
  const configuration = await registered();
  const parameters = { scope: 'openid profile', login_hint: account.username, binding_message: 'Order 4711' };
  const asked = await openid.initiateBackchannelAuthentication(configuration, parameters);
  const polling = openid.pollBackchannelAuthenticationGrant(configuration, asked);
  assert.match(await answer('allow'), /Access allowed/);
  const tokens = await polling;
  const { sub = '' } = tokens.claims() ?? {};
  assert.equal((await openid.fetchUserInfo(configuration, tokens.access_token, sub)).sub, sub);
});

test('openid-client: a person who refuses makes the client stop with access_denied (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const configuration = await registered();
  const asked = await openid.initiateBackchannelAuthentication(configuration, {
    scope: 'openid',
    login_hint: account.username,
  });
  await Promise.all([
    assert.rejects(openid.pollBackchannelAuthenticationGrant(configuration, asked), {
      error: 'access_denied',
    }),
    answer('deny'),
  ]);
});

test('a client that registered for ping is called by the program, with its token (OpenID Connect CIBA Core 1.0 §10.2)', async () => {
  const configuration = await registered({
    backchannel_token_delivery_mode: 'ping',
    backchannel_client_notification_endpoint: `http://127.0.0.1:${await listeningPort(receiver)}/ciba`,
  });
  const called = once(receiver, 'request');
  const asked = await openid.initiateBackchannelAuthentication(configuration, {
    scope: 'openid',
    login_hint: account.username,
    client_notification_token: 'a-token-of-the-till',
  });
  await answer('allow');
  await called;
  assert.deepEqual(notified, ['POST Bearer a-token-of-the-till']);
  const tokens = await openid.pollBackchannelAuthenticationGrant(configuration, asked);
  assert.equal(typeof tokens.id_token, 'string');
});

test('examples/till asks a customer and gets a sign-in; chancery requests lists its request, and refuses another one', async () => {
  const configuration = await registered();
  const credentials = join(files, 'credentials.json');
  writeFileSync(credentials, JSON.stringify(credentialsOf(configuration)));
  const words = ['--issuer', program.issuer, '--customer', account.username];
  const till = endedWithTests(
    spawn(process.execPath, [join(TILL, 'till.mjs'), ...words, '--credentials', credentials], {
      env: inheritedEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const lines = createInterface(till.stdout);
  const [asking] = (await once(lines, 'line')) as [string];
  assert.match(asking, /"Order 4711": please answer at .*\/c2\/account\/requests$/);
  const signedIn = once(lines, 'line');
  assert.match(await answer('allow'), /Access allowed/);
  assert.match(String(await signedIn), /^signed in: \w+$/);
  const second = await openid.initiateBackchannelAuthentication(configuration, {
    scope: 'openid',
    login_hint: account.username,
  });
  const token = join(files, 'token');
  writeFileSync(token, program.adminToken, { mode: 0o600 });
  const server = ['--server', program.managementUrl, '--tenant', program.tenant, '--token-file', token];
  const run = async (...words: readonly string[]): Promise<string> => {
    const { how, stdout, stderr } = await chancery(['requests', ...words, ...server], {});
    assert.deepEqual([how, stderr], [0, ''], words.join(' '));
    return stdout;
  };
  const open = jsonLines(await run('list', '--json')).filter(({ state }) => state === 'open');
  assert.equal(open.length, 1);
  await run('refuse', String(open[0]?.['id']));
  await assert.rejects(openid.pollBackchannelAuthenticationGrant(configuration, second), {
    error: 'access_denied',
  });
});
