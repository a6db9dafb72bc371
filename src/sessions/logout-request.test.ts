import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { OAuthError } from '../spec/errors.ts';
import { START } from '../testing/end-users.ts';
import { segment, signedJwt, testKey } from '../testing/jwt.ts';
import { HOME, ISSUER, KEY, type TestLogout, testLogout } from '../testing/logout.ts';
import { EVENT } from '../testing/storage/stored-examples.ts';
import { logoutLocation, readLogoutRequest, waitingLogout } from './logout-request.ts';

/** Where the browser would go, or why it would not. */
async function outcomeOf(
  { requests }: TestLogout,
  parameters: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const request = await readLogoutRequest(requests, parameters);
  const { location } = await logoutLocation(requests, waitingLogout(request, undefined, undefined));
  return location ?? request.ignored;
}

test('with a valid hint and a registered URI the browser is redirected, with its state (OpenID Connect RP-Initiated Logout 1.0 §2, §3)', async () => {
  const logout = await testLogout();
  const client = await logout.client();
  const hint = { id_token_hint: logout.idToken(client) };
  const uri = { post_logout_redirect_uri: HOME };
  assert.equal(await outcomeOf(logout, { ...hint, ...uri }), HOME);
  assert.equal(await outcomeOf(logout, { ...hint, ...uri, client_id: client.client_id }), HOME);
  assert.equal(await outcomeOf(logout, { ...hint, ...uri, state: 'a b' }), `${HOME}?state=a%20b`);
  assert.equal(await outcomeOf(logout, hint), undefined);
  assert.equal(await outcomeOf(logout, { ...hint, state: 'x' }), undefined);
});

const STATES: readonly (readonly [state: string, encoded: string])[] = [
  ['x\r\nSet-Cookie: a=b', 'x%0D%0ASet-Cookie%3A%20a%3Db'],
  ['"><script>alert(1)</script>', '%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
  ['&x=y#z', '%26x%3Dy%23z'],
  ['ü+%', '%C3%BC%2B%25'],
];

for (const [state, encoded] of STATES) {
  // proves openid-rp-logout-2-4
  test(`state ${JSON.stringify(state)} is appended once, percent-encoded, to the registered URI (decision 33; H-171, H-172)`, async () => {
    const logout = await testLogout();
    const client = await logout.client();
    for (const [uri, separator] of [
      [HOME, '?'],
      ['https://rp.example/out?a=b', '&'],
      ['com.example.app:/out', '?'],
    ] as const) {
      const id_token_hint = logout.idToken(client);
      const parameters = { id_token_hint, post_logout_redirect_uri: uri, state };
      assert.equal(await outcomeOf(logout, parameters), `${uri}${separator}state=${encoded}`);
    }
  });
}

test('a state that is too long is refused (H-171)', async () => {
  const logout = await testLogout({ 'logout.state-length-max': 10 });
  await readLogoutRequest(logout.requests, { state: 'x'.repeat(10) });
  await assert.rejects(readLogoutRequest(logout.requests, { state: 'x'.repeat(11) }), OAuthError);
});

const ELSEWHERE = [
  'https://rp.example/signed-out/',
  'https://rp.example/Signed-out',
  'https://RP.example/signed-out',
  'https://rp.example:443/signed-out',
  'http://rp.example/signed-out',
  `${HOME}?foo=bar`,
  `${HOME}#x`,
  ` ${HOME}`,
  'https://rp.example/cb',
  'https://rp.example\\@evil',
  'https://rp.example@evil',
  '//evil',
  '/\\evil',
  '\\\\evil',
  'https:evil',
  'https:///evil',
  '/\t/evil',
  '%2f%2fevil',
  'https://rp.example.evil/signed-out',
  'https://rp。example/signed-out',
  'https://rp.example./signed-out',
  'javascript:alert(1)',
  'data:text/html,x',
];

for (const uri of ELSEWHERE) {
  // proves openid-rp-logout-3-1
  test(`post_logout_redirect_uri ${JSON.stringify(uri)}: no redirection, and the reason does not contain it (OpenID Connect RP-Initiated Logout 1.0 §3; H-164, H-165)`, async () => {
    const logout = await testLogout();
    const client = await logout.client();
    const parameters = { id_token_hint: logout.idToken(client), post_logout_redirect_uri: uri };
    const outcome = await outcomeOf(logout, parameters);
    assert.match(
      outcome ?? '',
      /^the post_logout_redirect_uri must equal a registered one, character by character/,
    );
    assert.ok(!(outcome ?? '').includes('evil'));
  });
}

test('the reason for a misspelt URI names the nearest registered one (users want 6)', async () => {
  const logout = await testLogout();
  const client = await logout.client();
  const parameters = { id_token_hint: logout.idToken(client), post_logout_redirect_uri: `${HOME}/` };
  assert.match((await outcomeOf(logout, parameters)) ?? '', new RegExp(`; did you mean ${HOME}\\?$`));
});

// proves openid-rp-logout-3-1
test('a URI of another client, or for a client that registered none: no redirection (H-164)', async () => {
  const logout = await testLogout();
  await logout.client();
  const other = await logout.client({ post_logout_redirect_uris: ['https://other.example/'] });
  const none = await logout.client({ post_logout_redirect_uris: undefined });
  const go = async (client: typeof other): Promise<string | undefined> =>
    await outcomeOf(logout, { id_token_hint: logout.idToken(client), post_logout_redirect_uri: HOME });
  assert.match((await go(other)) ?? '', /must equal a registered one, character by character/);
  assert.equal(await go(none), 'the client has registered no post_logout_redirect_uris');
});

const STRANGER = testKey('RS256', 'ours');

const HINTS: readonly (readonly [
  what: string,
  hint: (logout: TestLogout, aud: string) => string,
  why: RegExp,
])[] = [
  ['none at all', () => '', /the request has no id_token_hint/],
  ['garbage', () => 'x', /malformed/],
  ['alg none', (_, aud) => unsigned(aud), /malformed|algorithm/],
  ['HS256 with our public key', (_, aud) => maced(aud), /algorithm/],
  ['a stranger’s signature', (_, aud) => idToken({ aud }, {}, STRANGER), /signature/],
  ['another issuer', (_, aud) => idToken({ aud, iss: 'https://op.example.com' }), /issuer/],
  ['an access token', (_, aud) => idToken({ aud }, { typ: 'at+jwt' }), /type/],
  ['a logout token', (_, aud) => idToken({ aud }, { typ: 'logout+jwt' }), /type/],
  ['an entity statement', (_, aud) => idToken({ aud }, { typ: 'entity-statement+jwt' }), /type/],
  ['a JARM response', (_, aud) => idToken({ aud, sub: undefined, iat: undefined }), /claims/],
  ['iat in the future', (_, aud) => idToken({ aud, iat: START + 3600 }), /not-yet-valid/],
  ['nbf in the future', (_, aud) => idToken({ aud, nbf: START + 3600 }), /not-yet-valid/],
  ['two audiences', (_, aud) => idToken({ aud: [aud, 'other'] }), /claims/],
  ['an azp that is no audience', (_, aud) => idToken({ aud: [aud, 'x'], azp: 'y' }), /claims/],
  ['an unknown client', () => idToken({ aud: 'nobody' }), /no longer registered/],
  [
    'one from before its client was registered',
    (_, aud) => idToken({ aud, iat: START - 5000 }),
    /no longer registered/,
  ],
];

function idToken(claims: object, header: object = {}, key = KEY): string {
  const usual = { iss: ISSUER, sub: 'ada', iat: START, exp: START + 300 };
  return signedJwt(key, { ...usual, ...claims }, { typ: 'JWT', ...header });
}

function unsigned(aud: string): string {
  const claims = { iss: ISSUER, sub: 'ada', aud, iat: START, exp: START + 300 };
  return `${segment('{"alg":"none","typ":"JWT"}')}.${segment(JSON.stringify(claims))}.`;
}

function maced(aud: string): string {
  const claims = { iss: ISSUER, sub: 'ada', aud, iat: START, exp: START + 300 };
  const header = segment('{"alg":"HS256","typ":"JWT","kid":"ours"}');
  const input = `${header}.${segment(JSON.stringify(claims))}`;
  const mac = createHmac('sha256', JSON.stringify(KEY.jwk)).update(input).digest('base64url');
  return `${input}.${mac}`;
}

for (const [what, hint, why] of HINTS) {
  // proves openid-rp-logout-2-2
  test(`id_token_hint: ${what}: the redirection is ignored and the request is accepted (decision 32; H-163, H-167 to H-170)`, async () => {
    const logout = await testLogout();
    const { client_id } = await logout.client();
    const text = hint(logout, client_id);
    const given = text === '' ? {} : { id_token_hint: text };
    const request = await readLogoutRequest(logout.requests, {
      ...given,
      post_logout_redirect_uri: HOME,
      state: 's',
    });
    assert.equal(request.client, undefined);
    assert.equal(request.redirect, undefined);
    assert.match(request.ignored ?? '', why);
  });
}

test('a hint with several audiences belongs to its authorised party (OpenID Connect Core 1.0 §2; H-170)', async () => {
  const logout = await testLogout();
  const { client_id } = await logout.client();
  const id_token_hint = idToken({ aud: [client_id, 'rs'], azp: client_id });
  assert.equal(await outcomeOf(logout, { id_token_hint, post_logout_redirect_uri: HOME }), HOME);
});

// proves openid-rp-logout-2-2
test('an expired hint is valid until the configured age (H-168)', async () => {
  const logout = await testLogout();
  const client = await logout.client({});
  const old = idToken({ aud: client.client_id, iat: START - 900, exp: START - 800 });
  const parameters = { id_token_hint: old, post_logout_redirect_uri: HOME };
  assert.equal(await outcomeOf(logout, parameters), HOME);
  const strict = await logout.again({ 'logout.hint-age-max': 899 });
  assert.match((await outcomeOf(strict, parameters)) ?? '', /older than 899 seconds/);
  assert.equal(await outcomeOf(await logout.again({ 'logout.hint-age-max': 900 }), parameters), HOME);
});

// proves openid-rp-logout-2-3
test('a client_id that is not the hint’s: the hint proves nothing (OpenID Connect RP-Initiated Logout 1.0 §2)', async () => {
  const logout = await testLogout();
  const [client, other] = [await logout.client(), await logout.client()];
  const parameters = { id_token_hint: logout.idToken(client), post_logout_redirect_uri: HOME };
  const outcome = await outcomeOf(logout, { ...parameters, client_id: other.client_id });
  assert.match(outcome ?? '', /^client_id differs from the client/);
  const alone = { client_id: client.client_id, post_logout_redirect_uri: HOME };
  assert.equal(await outcomeOf(logout, alone), 'the request has no id_token_hint');
});

test('a request for the dialog alone is valid', async () => {
  const { requests } = await testLogout();
  const nothing = { client: undefined, redirect: undefined, ignored: undefined };
  assert.deepEqual(await readLogoutRequest(requests, {}), nothing);
  assert.deepEqual(await readLogoutRequest(requests, { state: 'x', logout_hint: 'ada' }), nothing);
});

test('if the client is deleted or removes its URI before the answer, there is no redirection (H-177)', async () => {
  const logout = await testLogout();
  const { storage } = logout.endUsers;
  for (const change of ['delete', 'replace', 'again'] as const) {
    const client = await logout.client();
    const parameters = { id_token_hint: logout.idToken(client), post_logout_redirect_uri: HOME };
    const request = await readLogoutRequest(logout.requests, parameters);
    const waiting = waitingLogout(request, undefined, undefined);
    assert.equal((await logoutLocation(logout.requests, waiting)).location, HOME);
    const next = {
      ...client,
      version: 2,
      metadata: '{"post_logout_redirect_uris":["https://rp.example/x"]}',
    };
    if (change === 'replace') await storage.clients.replace(next, 1, EVENT);
    else await storage.clients.delete(client, EVENT);
    if (change === 'again') {
      const again = { ...client, instance: 'another' as typeof client.instance };
      await storage.clients.create(again, { reuseDeletedId: true, now: START, event: EVENT });
    }
    const { location, ignored } = await logoutLocation(logout.requests, waiting);
    assert.equal(location, undefined);
    assert.match(
      ignored ?? '',
      change === 'replace' ? /must equal a registered one, character by character/ : /no longer registered/,
    );
  }
});

test('the client is found by its identifier alone, however many clients there are (users want 1)', async () => {
  const logout = await testLogout();
  const client = await logout.client();
  const finds: string[] = [];
  const clients = {
    find(client_id: typeof client.client_id) {
      finds.push(client_id);
      return logout.endUsers.storage.clients.find(client_id);
    },
  };
  const parameters = { id_token_hint: logout.idToken(client), post_logout_redirect_uri: HOME };
  await readLogoutRequest({ ...logout.requests, clients }, parameters);
  assert.deepEqual(finds, [client.client_id]);
});
