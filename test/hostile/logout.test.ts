import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { JWK } from 'jose';
import { segment, signedJwt, testKey } from '../../src/testing/jwt.ts';
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
} from '../journeys/logout-world.ts';
import { formOf, plainBrowser, type Visit } from '../program/plain-browser.ts';
import type { Program } from '../program/start.ts';
import { encryptedTo, strangeEncryptions } from './encrypted-hints.ts';

/** docs/contract/hostile/logout.md against the started program. Rows that need keys of the server are beside the endpoints. */
let program: Program;
let backChannel: BackChannel;
/** Signed in all the time: nothing in this file may end it. */
let victim: SignedInWorld;
const STRANGER = testKey('RS256', 'stranger');

before(async () => {
  backChannel = await startBackChannel();
  program = await startLogoutProgram({ issuerPath: '/c2' });
  victim = await signedIn(program, {
    backchannel_logout_uri: backChannel.url('victim'),
    client_name: EVIL_NAME,
  });
});

after(async () => {
  await program.stop();
  await backChannel.close();
});

const EVIL_NAME = `"><img src=x onerror=alert(1)>{{7*7}}\${7*7}<script>alert(1)</script>`;
const PROOF = (): Readonly<Record<string, string>> => ({ id_token_hint: victim.id_token });
const WHOLE = (): Readonly<Record<string, string>> => ({ ...PROOF(), post_logout_redirect_uri: HOME });
const url = (parameters: Readonly<Record<string, string>>): string => logoutUrl(victim.rp, parameters);
const open = async (parameters: Readonly<Record<string, string>>): Promise<Visit> =>
  await victim.browser.visit(url(parameters));

async function assertAlive(): Promise<void> {
  assert.equal(await isSignedIn(victim.browser, victim.rp), true);
  assert.deepEqual(backChannel.received('victim'), []);
}

function assertHeaders({ headers }: Visit, target: string): void {
  assert.deepEqual(
    [
      headers.get('content-security-policy'),
      headers.get('x-frame-options'),
      // H-246
      headers.get('cross-origin-opener-policy'),
      headers.get('referrer-policy'),
      headers.get('x-content-type-options'),
      headers.get('cache-control'),
    ],
    [
      `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'${target}; frame-ancestors 'none'; base-uri 'none'`,
      'DENY',
      'same-origin',
      'no-referrer',
      'nosniff',
      'no-store',
    ],
  );
}

/** Stays, so that the session lives on, and says whether the browser would have been sent somewhere. */
async function destination(page: Visit): Promise<string | undefined> {
  assertDialog(page);
  return (await victim.browser.submit(page, 'stay')).location;
}

test('H-159, H-160 whatever calls /logout with GET or HEAD, the session lives', async () => {
  const cookie = [...victim.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  for (const headers of [
    { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'cross-site', referer: 'https://evil.example/' },
    { 'sec-purpose': 'prefetch' },
    { purpose: 'preview', 'user-agent': 'LinkPreviewer/1.0' },
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(url(WHOLE()), { method, headers: { ...headers, cookie } });
      assert.equal(answer.status, 200);
      await answer.text();
    }
  }
  const stranger = await plainBrowser(program.issuer).visit(url({}));
  assert.equal(stranger.status, 200);
  assert.match(stranger.html, /There is no session to end/);
  await assertAlive();
});

test('H-162, H-180, H-185 the page cannot be framed, runs nothing, and shows a client’s name as text', async () => {
  const page = await open(WHOLE());
  assertHeaders(page, ' https://rp.example');
  assertHeaders(await open({}), '');
  assert.doesNotMatch(page.html, /<script|<img/);
  // That 49 is nowhere would not do: it may stand in a random token.
  assert.match(page.html, /\{\{7\*7\}\}\$\{7\*7\}/);
  assert.match(page.html, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
  assertHeaders(await victim.browser.submit(await open({}), 'stay'), '');
});

const ANSWERS: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  form: Record<string, string>,
])[] = [
  ['no form token', {}, { form_token: '' }],
  ['another form token', {}, { form_token: 'x'.repeat(43) }],
  ['Origin: https://evil.example', { origin: 'https://evil.example' }, {}],
  ['Origin: null', { origin: 'null', 'sec-fetch-site': '' }, {}],
  ['Sec-Fetch-Site: cross-site', { origin: 'null', 'sec-fetch-site': 'cross-site' }, {}],
  ['Referer of another site', { referer: 'https://evil.example/', 'sec-fetch-site': '', origin: '' }, {}],
];

test('H-161 an answer that no page of ours gave: 4xx, and the session lives', async () => {
  for (const [what, headers, different] of ANSWERS) {
    const page = await open(WHOLE());
    const { action, hidden } = formOf(page.html);
    const cookie = [...victim.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
    const given = { 'sec-fetch-site': 'same-origin', origin: 'null', ...headers };
    const answer = await fetch(new URL(action, page.url), {
      method: 'POST',
      redirect: 'manual',
      headers: { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== '')), cookie },
      body: new URLSearchParams({ ...hidden, choice: 'logout', ...different }),
    });
    assert.equal(answer.status, 400, what);
    assert.match(await answer.text(), /Something went wrong/);
    assert.equal(answer.headers.get('location'), null);
  }
  const stranger = plainBrowser(program.issuer);
  const page = await open(WHOLE());
  assert.equal((await stranger.submit(page, 'logout')).status, 400, 'another browser');
  const answered = await victim.browser.submit(page, 'stay');
  assert.equal(answered.location, HOME);
  assert.equal((await victim.browser.submit(page, 'logout')).status, 400, 'once');
  await assertAlive();
});

const ADDRESSES = [
  `${HOME}/`,
  `${HOME}?foo=bar`,
  `${HOME}#x`,
  CALLBACK,
  'https://rp.example:443/signed-out',
  'https://rp.example\\@evil.example',
  'https://rp.example@evil.example',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https:///evil.example',
  '/\t/evil.example',
  '%2f%2fevil.example',
  'https://rp.example.evil.example',
  'https://rp。example',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  '\r\n\r\n<script>alert(1)</script>',
];

test('H-164, H-165 addresses that are not registered letter for letter lead nowhere, and are not shown', async () => {
  for (const post_logout_redirect_uri of ADDRESSES) {
    const page = await open({ ...PROOF(), post_logout_redirect_uri });
    assert.doesNotMatch(page.html, /evil\.example|javascript:|data:text/, post_logout_redirect_uri);
    assertHeaders(page, '');
    assert.equal(await destination(page), undefined, post_logout_redirect_uri);
  }
  const other = await signedIn(program, { post_logout_redirect_uris: ['https://other.example/'] });
  const theirs = { ...PROOF(), post_logout_redirect_uri: 'https://other.example/' };
  assert.equal(await destination(await open(theirs)), undefined);
  const mine = { id_token_hint: other.id_token, post_logout_redirect_uri: HOME };
  assert.equal(await destination(await open(mine)), undefined);
});

test('H-163, H-166 without a hint, or twice, the address is nothing', async () => {
  const page = await open({ post_logout_redirect_uri: 'https://evil.example/' });
  assert.doesNotMatch(page.html, /evil\.example/);
  assert.equal(await destination(page), undefined);
  const twice = `${url(WHOLE())}&post_logout_redirect_uri=https%3A%2F%2Fevil.example`;
  const answered = await victim.browser.visit(twice);
  assert.equal(answered.status, 400);
  assert.doesNotMatch(answered.html, /evil\.example|<form/);
  const indexed = url(PROOF()) + '&post_logout_redirect_uri%5B%5D=https%3A%2F%2Fevil.example';
  assert.equal(await destination(await victim.browser.visit(indexed)), undefined);
});

async function serverEncryptionKey(): Promise<JWK> {
  const { keys } = (await (await fetch(`${program.url}/jwks.json`)).json()) as {
    readonly keys: readonly JWK[];
  };
  return keys.find(({ use, kty }) => use === 'enc' && kty === 'RSA') ?? assert.fail('no key');
}

async function accessTokenJwt(): Promise<string> {
  const answer = await fetch(`${program.url}/direct-authz/rest/v2`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.directToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: victim.rp.clientMetadata().client_id,
      sub: 'alice',
      scope: ['read'],
      access_token: { encoding: 'SELF_CONTAINED' },
    }),
  });
  const { access_token } = (await answer.json()) as Readonly<Record<string, unknown>>;
  assert.match(String(access_token), /^ey/);
  return String(access_token);
}

/** A logout token that this server signed for the same client. */
async function logoutToken(): Promise<string> {
  const world = await signedIn(program, { backchannel_logout_uri: backChannel.url('tokens') });
  const page = await world.browser.open(logoutUrl(world.rp, { id_token_hint: world.id_token }));
  await world.browser.submit(page, 'logout');
  const [{ body } = assert.fail('no logout token')] = await backChannel.until('tokens', 1);
  return new URLSearchParams(body).get('logout_token') ?? '';
}

test('H-167, H-170 what only looks like an ID token of ours proves nothing', async () => {
  const [header = '', payload = '', signature = ''] = victim.id_token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Readonly<
    Record<string, unknown>
  >;
  const changed = segment(JSON.stringify({ ...claims, sub: 'admin' }));
  const hints: Readonly<Record<string, string>> = {
    'alg none': `${segment('{"alg":"none","typ":"JWT"}')}.${payload}.`,
    'a stranger’s': signedJwt(STRANGER, claims, { typ: 'JWT' }),
    'a stranger’s, with his key in the header': signedJwt(STRANGER, claims, {
      typ: 'JWT',
      jwk: STRANGER.jwk,
    }),
    'another issuer’s': signedJwt(STRANGER, { ...claims, iss: 'https://evil.example' }, { typ: 'JWT' }),
    changed: `${header}.${changed}.${signature}`,
    'without signature': `${header}.${payload}.`,
    'an access token': await accessTokenJwt(),
    'a logout token': await logoutToken(),
    garbage: 'ey.ey.ey',
    'a megabyte of segments': '.'.repeat(4000),
  };
  for (const [what, id_token_hint] of Object.entries(hints)) {
    const page = await open({ id_token_hint, post_logout_redirect_uri: HOME });
    assert.equal(await destination(page), undefined, what);
  }
  assert.equal(await destination(await open(WHOLE())), HOME, 'the good one does');
});

test('H-169 an encrypted hint holds for the signed ID token in it only', async () => {
  const key = await serverEncryptionKey();
  const good = await encryptedTo(key, victim.id_token);
  assert.equal(await destination(await open({ ...WHOLE(), id_token_hint: good })), HOME);
  for (const [what, id_token_hint] of Object.entries(await strangeEncryptions(key, victim.id_token))) {
    assert.equal(await destination(await open({ ...WHOLE(), id_token_hint })), undefined, what);
  }
});

test('H-171 to H-173 a state goes to the registered address only, once, and encoded', async () => {
  for (const state of ['x\r\nSet-Cookie: a=b', '"><script>alert(1)</script>', '&x=y#z', 'x'.repeat(1024)]) {
    const page = await open({ ...WHOLE(), state });
    assert.doesNotMatch(page.html, /Set-Cookie|alert\(1\)<\/script>"|x{9}/);
    const to = new URL((await destination(page)) ?? '');
    assert.deepEqual([...to.searchParams], [['state', state]]);
    assert.equal(to.hash, '');
    assert.equal(await destination(await open({ ...PROOF(), state })), undefined);
  }
  for (const query of [`state=${'x'.repeat(1025)}`, 'state=%ff', 'state=%00', 'state=%ed%a0%80', 'state=%']) {
    const answered = await victim.browser.visit(`${url(WHOLE())}&${query}`);
    assert.equal(answered.status, 400, query.slice(0, 20));
    assert.equal(answered.location, undefined);
  }
});

test('H-176, H-178, H-179 the answer does what its own page announced, whatever else is sent and whichever other page was answered', async () => {
  const other = await signedIn(program, { post_logout_redirect_uris: ['https://other.example/'] });
  const theirs = { id_token_hint: other.id_token, post_logout_redirect_uri: 'https://other.example/' };
  const [older, newer] = [await open(WHOLE()), await open(theirs)];
  assert.match(newer.html, /Sign out of this server too, developer\?/);
  const tampered = { post_logout_redirect_uri: 'https://evil.example/', state: 'x', client_id: 'x' };
  assert.equal((await victim.browser.submit(older, 'stay', tampered)).location, HOME);
  assert.equal((await victim.browser.submit(newer, 'stay')).location, 'https://other.example/');
  assert.equal(await isSignedIn(other.browser, other.rp), true);
  await assertAlive();
});

test('H-174, H-175 no keeps the session, yes ends it: the old cookie and the back button find nothing', async () => {
  const world = await signedIn(program);
  const parameters = { id_token_hint: world.id_token, post_logout_redirect_uri: HOME };
  const first = await world.browser.open(logoutUrl(world.rp, parameters));
  assert.equal((await world.browser.submit(first, 'stay')).location, HOME);
  assert.equal(await isSignedIn(world.browser, world.rp), true);
  const kept = [...world.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  const second = await world.browser.open(logoutUrl(world.rp, parameters));
  assert.equal((await world.browser.submit(second, 'logout')).location, HOME);
  const again = await fetch(logoutUrl(world.rp, {}), { headers: { cookie: kept } });
  assert.match(await again.text(), /There is no session to end/);
  assert.equal((await world.browser.submit(second, 'logout')).status, 400);
});

test('H-177 a client that is deleted while the page waits: a page, no redirection', async () => {
  const world = await signedIn(program);
  const page = await world.browser.open(
    logoutUrl(world.rp, { id_token_hint: world.id_token, post_logout_redirect_uri: HOME }),
  );
  const { client_id } = world.rp.clientMetadata();
  const deleted = await fetch(`${program.url}/clients/${client_id}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${program.masterToken}` },
  });
  assert.equal(deleted.status, 204);
  const answered = await world.browser.submit(page, 'logout');
  assert.equal(answered.status, 200);
  assert.equal(answered.location, undefined);
  assert.match(answered.html, /You are signed out/);
});

test('H-181 cookies that are not exactly ours are none', async () => {
  const [name, value] =
    [...victim.browser.cookies()].find(([each]) => each.includes('session')) ?? assert.fail('no cookie');
  for (const cookie of [
    `${name}=${value}; ${name}=${value}`,
    `${name}=${value.slice(1)}`,
    `${name.replace(/[^-]+$/, 'AAAAAAAA')}=${value}`,
    `${name}=${'x'.repeat(8000)}`,
    Array.from({ length: 200 }, (_, index) => `c${index}=v`).join('; '),
  ]) {
    const answer = await fetch(url({}), { headers: { cookie } });
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), /There is no session to end/, cookie.slice(0, 60));
  }
});

test('H-182 ui_locales are never an error', async () => {
  for (const ui_locales of [
    'de',
    'x-y '.repeat(2000),
    '../../etc/passwd',
    'constructor',
    '__proto__ toString',
  ]) {
    assertDialog(await open({ ui_locales }));
  }
  assert.match((await open({ ui_locales: 'xx fr' })).html, /<html lang="fr">/);
});

test('H-184 a form is as good as a query', async () => {
  const cookie = [...victim.browser.cookies()].map(([name, value]) => `${name}=${value}`).join('; ');
  const answer = await fetch(url({}).split('?')[0] ?? '', {
    method: 'POST',
    headers: { cookie },
    body: new URLSearchParams({ ...WHOLE(), state: 's' }),
  });
  assert.equal(answer.status, 200);
  const html = await answer.text();
  assert.match(html, /Sign out of this server too, developer\?/);
  const page = { ...(await open({})), html };
  assert.equal(await destination(page), `${HOME}?state=s`);
});

test('H-183 logout switched off: 404 at its address, and discovery does not name it', async () => {
  const without = await startLogoutProgram({ environment: { CHANCERY_LOGOUT_ENDPOINT: 'false' } });
  try {
    for (const [method, path] of [
      ['GET', '/logout'],
      ['POST', '/logout'],
      ['POST', '/logout/x'],
    ] as const) {
      const answer = await fetch(without.url + path, { method });
      assert.deepEqual([answer.status, await answer.text()], [404, '']);
    }
    const metadata = (await (
      await fetch(`${without.url}/.well-known/openid-configuration`)
    ).json()) as object;
    assert.equal('end_session_endpoint' in metadata, false);
  } finally {
    await without.stop();
  }
});

test('after all of that the victim is signed in, no client was told otherwise, and the log has no hint, state or fault in it, but names the refused address (decision 46)', async () => {
  await assertAlive();
  const output = program.output();
  assert.ok(!output.includes(victim.id_token));
  for (const line of output.split('\n')) assert.doesNotMatch(line, /"level":"error"|^\s+at /);
  assert.match(output, /"detail":"the id_token_hint is not valid \(signature\)"/);
});
