import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import * as client from 'openid-client';
import { developer } from '../program/developer.ts';
import { freePort } from '../program/free-port.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import {
  type BackChannel,
  HOME,
  isSignedIn,
  logoutUrl,
  relyingParty,
  type SignedInWorld,
  signedIn,
  signIn,
  startBackChannel,
  startLogoutProgram,
} from './logout-world.ts';
import { type Members, registryCommands } from './registry-commands.ts';

/** Two servers on one database, and relying parties that are told when sessions end. */
const folder = mkdtempSync(join(tmpdir(), 'chancery-logout-'));
const commands = registryCommands(folder);
let one: Program;
let two: Program;
let backChannel: BackChannel;

before(async () => {
  backChannel = await startBackChannel();
  one = await startLogoutProgram({ folder });
  two = await startLogoutProgram({ folder, environment: { CHANCERY_ISSUER: one.issuer } });
});

after(async () => {
  await Promise.all([one.stop(), two.stop()]);
  await backChannel.close();
  rmSync(folder, { recursive: true, force: true });
});

async function inBrowser(name: string, scope = 'openid'): Promise<SignedInWorld> {
  return await signedIn(one, { backchannel_logout_uri: backChannel.url(name) }, scope);
}

async function logOut({ browser, rp, id_token }: SignedInWorld): Promise<string | undefined> {
  const url = logoutUrl(rp, { id_token_hint: id_token, post_logout_redirect_uri: HOME });
  return (await browser.submit(await browser.open(url), 'logout')).location;
}

// proves openid-rp-logout-6-1
test('a session that ends at one server is dead at the other one, in the next request, whatever the browser still has', async () => {
  const world = await inBrowser('two-servers');
  const cookies = [...world.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  const asked = async (): Promise<string> =>
    await (await fetch(`${two.url}/logout`, { headers: { cookie: cookies } })).text();
  assert.match(await asked(), /Sign out of this server too, developer\?/);
  assert.equal(await logOut(world), HOME);
  assert.match(await asked(), /There is no session to end/);
});

// proves openid-backchannel-logout-2.3-1
test('every relying party of the session is told; one that answers 503 is told again, and no other', async () => {
  const first = await inBrowser('first');
  const second = await relyingParty(one, { backchannel_logout_uri: backChannel.url('second') });
  await signIn(one, first.browser, second);
  const other = await inBrowser('other');
  backChannel.answer('second', 503);
  assert.equal(await logOut(first), HOME);
  assert.equal(backChannel.received('first').length, 1);
  await backChannel.until('second', 2);
  backChannel.answer('second', 200);
  await backChannel.until('second', 3);
  assert.deepEqual(backChannel.received('other'), []);
  assert.equal(await isSignedIn(other.browser, other.rp), true);
  const metrics = await (await fetch(`${one.managementUrl}/metrics`)).text();
  assert.match(metrics, /^chancery_logout_attempts_total\{outcome="delivered"\} \d+$/m);
});

test('a relying party that never answers keeps the browser for a short time only', async () => {
  const world = await inBrowser('hanging');
  backChannel.answer('hanging', 'hang');
  assert.equal(await logOut(world), HOME);
  assert.equal(backChannel.received('hanging').length, 1);
  backChannel.answer('hanging', 200);
});

// proves openid-backchannel-logout-2.7-1
test('refresh tokens end with the session, but for those with offline_access (OpenID Connect Back-Channel Logout 1.0 §2.7)', async () => {
  const online = await inBrowser('online');
  const offline = await inBrowser('offline', 'openid offline_access');
  for (const world of [online, offline]) assert.equal(await logOut(world), HOME);
  const refresh = async ({ rp, tokens }: SignedInWorld): Promise<unknown> =>
    await client.refreshTokenGrant(rp, tokens.refresh_token ?? assert.fail('no refresh token'));
  await assert.rejects(refresh(online), { error: 'invalid_grant' });
  await refresh(offline);
});

/** As `chancery logouts list` shows it, once it is no longer on its way. */
async function untilTold(client_id: string): Promise<Members> {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    const rows = await commands.json('logouts', 'list', '--mode', 'development');
    const found = rows.find((row) => row['client_id'] === client_id);
    assert.ok(found !== undefined && !('instance' in found));
    if (found['state'] !== 'waiting') return found;
  }
  return assert.fail('it is on its way still');
}

// proves openid-backchannel-logout-2-1
test('an account that is disabled by command: its relying parties are told by a running server', async () => {
  const { username } = await developer(one);
  const world = await inBrowser('disabled');
  const done = await commands.attempt('accounts', 'disable', username, '--mode', 'development');
  assert.equal(done.how, 0, done.stderr);
  await backChannel.until('disabled', 1);
  const { client_id } = world.rp.clientMetadata();
  const shown = await untilTold(client_id);
  assert.deepEqual([shown['state'], shown['attempts'], shown['problem']], ['delivered', 1, null]);
  assert.match(await commands.run('logouts', 'list', '--mode', 'development'), /^SESSION +CLIENT +STATE/);
  await commands.attempt('accounts', 'enable', username, '--mode', 'development');
  assert.equal(await isSignedIn(world.browser, world.rp), false);
});

test('kill -9 after the session has ended: the next server to start notifies the relying party', async () => {
  const place = mkdtempSync(join(tmpdir(), 'chancery-logout-kill-'));
  const port = await freePort();
  const issuer = { CHANCERY_LISTEN_PORT: String(port), CHANCERY_ISSUER: `http://127.0.0.1:${port}` };
  const environment = { ...issuer, CHANCERY_LOGOUT_RETRY_DELAY: '3' };
  let program = await startLogoutProgram({ folder: place, environment });
  try {
    backChannel.answer('killed', 503);
    const browser = plainBrowser(program.issuer);
    const rp = await relyingParty(program, { backchannel_logout_uri: backChannel.url('killed') });
    const { id_token = '' } = await signIn(program, browser, rp);
    await logOut({ browser, rp, id_token } as SignedInWorld);
    program.signal('SIGKILL');
    await program.exited;
    const before = backChannel.received('killed').length;
    backChannel.answer('killed', 200);
    program = await startLogoutProgram({ folder: place, environment });
    const received = await backChannel.until('killed', before + 1);
    assert.equal(received.length, before + 1);
  } finally {
    await program.stop();
    rmSync(place, { recursive: true, force: true });
  }
});

test('under an alias of the issuer the logout token is the alias’s, as the ID token is', async () => {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const alias = `${issuer}/alias`;
  const environment = {
    CHANCERY_LISTEN_PORT: String(port),
    CHANCERY_ISSUER: issuer,
    CHANCERY_ISSUER_ALIASES: alias,
  };
  const program = await startLogoutProgram({ environment });
  try {
    const there = { ...program, issuer: alias, url: alias };
    const world = await signedIn(there, { backchannel_logout_uri: backChannel.url('alias') });
    assert.equal(await logOut(world), HOME);
    const [{ body } = assert.fail('no logout token')] = await backChannel.until('alias', 1);
    const [, payload = ''] = (new URLSearchParams(body).get('logout_token') ?? '').split('.');
    const { iss } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Members;
    assert.equal(iss, alias);
  } finally {
    await program.stop();
  }
});
