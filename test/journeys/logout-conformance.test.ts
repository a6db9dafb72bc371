import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { segment } from '../../src/testing/jwt.ts';
import type { Program } from '../program/start.ts';
import {
  assertDialog,
  type BackChannel,
  CALLBACK,
  HOME,
  isSignedIn,
  logoutUrl,
  type SignedInWorld,
  signedIn,
  startBackChannel,
  startLogoutProgram,
} from './logout-world.ts';

/** The checks of the OpenID Foundation conformance suite for both logouts, made again with its modules' names. */
let program: Program;
let backChannel: BackChannel;

before(async () => {
  backChannel = await startBackChannel();
  program = await startLogoutProgram();
});

after(async () => {
  await program.stop();
  await backChannel.close();
});

async function metadataOfProvider(): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(`${program.url}/.well-known/openid-configuration`);
  return (await answer.json()) as Readonly<Record<string, unknown>>;
}

// proves openid-rp-logout-2.1-1
test('oidcc-rp-initiated-logout-discovery-endpoint-verification: end_session_endpoint, below the issuer (OpenID Connect RP-Initiated Logout 1.0 §2.1)', async () => {
  assert.equal((await metadataOfProvider())['end_session_endpoint'], `${program.issuer}/logout`);
});

// proves openid-backchannel-logout-2.1-1
test('oidcc-backchannel-logout-discovery-endpoint-verification: both members are true (OpenID Connect Back-Channel Logout 1.0 §2.1)', async () => {
  const metadata = await metadataOfProvider();
  assert.equal(metadata['backchannel_logout_supported'], true);
  assert.equal(metadata['backchannel_logout_session_supported'], true);
});

// proves openid-frontchannel-logout-3-2
test('oidcc-frontchannel-logout-discovery-endpoint-verification: both members are true (OpenID Connect Front-Channel Logout 1.0 §3)', async () => {
  const metadata = await metadataOfProvider();
  assert.equal(metadata['frontchannel_logout_supported'], true);
  assert.equal(metadata['frontchannel_logout_session_supported'], true);
});

// proves openid-rp-logout-2-4
test('oidcc-rp-initiated-logout: after the confirmation the browser is back, with the state and nothing else, and signed out (OpenID Connect RP-Initiated Logout 1.0 §2, §3)', async () => {
  const { browser, rp, id_token } = await signedIn(program);
  const state = 'a+b c&ü';
  const url = logoutUrl(rp, { id_token_hint: id_token, post_logout_redirect_uri: HOME, state });
  const page = await browser.open(url);
  assertDialog(page);
  assert.equal(await isSignedIn(browser, rp), true, 'asking ends nothing');
  const { status, location = '' } = await browser.submit(page, 'logout');
  assert.equal(status, 303);
  const { origin, pathname, searchParams, hash } = new URL(location);
  assert.deepEqual([origin + pathname, [...searchParams], hash], [HOME, [['state', state]], '']);
  assert.equal(await isSignedIn(browser, rp), false);
});

// proves openid-rp-logout-2-4
test('oidcc-rp-initiated-logout-no-state: no state comes back (OpenID Connect RP-Initiated Logout 1.0 §3)', async () => {
  const { browser, rp, id_token } = await signedIn(program);
  const page = await browser.open(logoutUrl(rp, { id_token_hint: id_token, post_logout_redirect_uri: HOME }));
  assert.equal((await browser.submit(page, 'logout')).location, HOME);
});

type Parameters = Readonly<Record<string, string>>;

const STAYING: readonly (readonly [module: string, parameters: (world: SignedInWorld) => Parameters])[] = [
  ['no-params', () => ({})],
  ['only-state', () => ({ state: 's' })],
  ['no-post-logout-redirect-uri', ({ id_token }) => ({ id_token_hint: id_token, state: 's' })],
  ['no-id-token-hint', () => ({ post_logout_redirect_uri: HOME, state: 's' })],
  [
    'bad-post-logout-redirect-uri',
    ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: `${HOME}/bad` }),
  ],
  [
    'query-added-to-post-logout-redirect-uri',
    ({ id_token }) => ({ id_token_hint: id_token, post_logout_redirect_uri: `${HOME}?foo=bar` }),
  ],
  [
    'bad-id-token-hint',
    (world) => ({ id_token_hint: faked(world), post_logout_redirect_uri: HOME, state: 's' }),
  ],
  [
    'modified-id-token-hint',
    ({ id_token }) => ({ id_token_hint: unsigned(id_token), post_logout_redirect_uri: HOME, state: 's' }),
  ],
];

/** Signed with the client's own secret. */
function faked({ id_token, rp }: SignedInWorld): string {
  const input = `${segment('{"alg":"HS256","typ":"JWT"}')}.${id_token.split('.')[1]}`;
  const secret = String(rp.clientMetadata().client_secret);
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}

function unsigned(id_token: string): string {
  return `${segment('{"alg":"none","typ":"JWT"}')}.${id_token.split('.')[1]}.`;
}

for (const [module, parametersOf] of STAYING) {
  // proves openid-rp-logout-3-1
  test(`oidcc-rp-initiated-logout-${module}: the dialog, and no redirection after it (decision 32; OpenID Connect RP-Initiated Logout 1.0 §3, §4)`, async () => {
    const world = await signedIn(program);
    const { browser, rp } = world;
    const page = await browser.open(logoutUrl(rp, parametersOf(world)));
    assertDialog(page);
    const answered = await browser.submit(page, 'logout');
    assert.equal(answered.status, 200);
    assert.match(answered.html, /You are signed out/);
    assert.equal(await isSignedIn(browser, rp), false);
  });
}

// proves openid-backchannel-logout-2.4-1
test('oidcc-backchannel-rp-initiated-logout: the relying party has a logout token before the browser is back (OpenID Connect Back-Channel Logout 1.0 §2.4, §2.5)', async () => {
  const uri = backChannel.url('conformance');
  const metadata = { backchannel_logout_uri: uri, backchannel_logout_session_required: true };
  const { browser, rp, id_token } = await signedIn(program, metadata);
  const parameters = { id_token_hint: id_token, post_logout_redirect_uri: HOME, state: 'back' };
  const page = await browser.open(logoutUrl(rp, parameters));
  const { location } = await browser.submit(page, 'logout');
  assert.equal(location, `${HOME}?state=back`);
  const [request, ...more] = backChannel.received('conformance');
  assert.ok(request !== undefined && more.length === 0);
  assert.equal(request.type, 'application/x-www-form-urlencoded');
  const form = new URLSearchParams(request.body);
  assert.deepEqual([...form.keys()], ['logout_token']);
  const token = form.get('logout_token') ?? '';
  assert.deepEqual(
    { ...decodeProtectedHeader(token), kid: '' },
    { alg: 'RS256', typ: 'logout+jwt', kid: '' },
  );
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(`${program.url}/jwks.json`)), {
    issuer: program.issuer,
    audience: rp.clientMetadata().client_id,
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
  });
  const { sub, sid } = decodeJwt(id_token);
  assert.deepEqual([payload.sub, payload['sid']], [sub, sid]);
  assert.equal(typeof sid, 'string');
  assert.equal('nonce' in payload, false);
  assert.deepEqual(payload['events'], { 'http://schemas.openid.net/event/backchannel-logout': {} });
  assert.ok(Number(payload.exp) - Number(payload.iat) <= 120);
});

// proves openid-frontchannel-logout-2-2, openid-frontchannel-logout-2-3
test('oidcc-frontchannel-rp-initiated-logout: the page has a frame of the relying party with the iss and sid of its ID token and nothing else, then goes back with the state; prompt=none fails (OpenID Connect Front-Channel Logout 1.0 §2, §3)', async () => {
  const metadata = {
    frontchannel_logout_uri: new URL('/logged-out', CALLBACK).href,
    frontchannel_logout_session_required: true,
  };
  const { browser, rp, id_token } = await signedIn(program, metadata);
  assert.deepEqual(
    [
      rp.clientMetadata()['frontchannel_logout_uri'],
      rp.clientMetadata()['frontchannel_logout_session_required'],
    ],
    [metadata.frontchannel_logout_uri, true],
  );
  const parameters = { id_token_hint: id_token, post_logout_redirect_uri: HOME, state: 'back' };
  const page = await browser.submit(await browser.open(logoutUrl(rp, parameters)), 'logout');
  assert.equal(page.status, 200);
  const frames = [...page.html.matchAll(/<iframe src="([^"]+)"/g)].map(([, src = '']) => src);
  const { iss, sid } = decodeJwt(id_token);
  const query = new URLSearchParams({ iss: String(iss), sid: String(sid) }).toString();
  assert.deepEqual(frames, [`${metadata.frontchannel_logout_uri}?${query.replace('&', '&amp;')}`]);
  assert.match(page.html, new RegExp(`<meta http-equiv="refresh" content="0; url=${HOME}\\?state=back">`));
  assert.equal(await isSignedIn(browser, rp), false);
});
