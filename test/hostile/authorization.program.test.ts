import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { developer } from '../program/developer.ts';
import { formOf, plainBrowser, type Visit } from '../program/plain-browser.ts';
import { converse } from '../program/raw-socket.ts';
import { type Program, startProgram } from '../program/start.ts';

/** Hostile authorisation requests, cookies and forms against the started program (H-165, H-180…H-182). */
const CALLBACK = 'https://rp.example/cb';
const XSS = '"><script>alert(1)</script>';
const secrets = new Set<string>();
let program: Program;
let client: { readonly client_id: string; readonly client_secret: string };
let account: { readonly username: string; readonly password: string };

before(async () => {
  program = await startProgram({ mode: 'dev' });
  account = await developer(program);
  const registered = await fetch(`${program.issuer}/register`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [CALLBACK, `${CALLBACK}?keep=%0d%0aSet-Cookie:x`],
      client_name: XSS,
    }),
  });
  client = (await registered.json()) as typeof client;
});

after(async () => {
  await program.stop();
});

afterEach(async () => {
  assert.equal((await fetch(`${program.managementUrl}/health/ready`)).status, 200);
});

function query(change: Readonly<Record<string, string>> = {}): string {
  const parameters = {
    response_type: 'code',
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    scope: 'openid',
    state: 'state-of-a-client',
    ...change,
  };
  return new URLSearchParams(parameters).toString();
}

const ask = async (text: string, headers: Record<string, string> = {}): Promise<Response> =>
  await fetch(`${program.issuer}/authorize?${text}`, { redirect: 'manual', headers });

/** An error page, or an error that goes to the one address that is registered; never anything else. */
async function assertRefused(response: Response): Promise<void> {
  const html = await response.text();
  const location = response.headers.get('location');
  assert.ok(response.status < 500, String(response.status));
  assert.doesNotMatch(html, /<script>/);
  if (location === null) {
    assert.equal(response.status, 400);
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  } else {
    assert.ok(location.startsWith(`${CALLBACK}?error=`), location);
  }
}

const REDIRECTS = [
  'https://rp.example\\@evil.example/cb',
  'https://rp.example@evil.example/cb',
  '//evil.example/cb',
  '/\\evil.example',
  '\\\\evil.example',
  'https:evil.example',
  'https:///evil.example',
  '/\t/evil.example',
  '%2f%2fevil.example',
  'https://rp.example%00.evil.example/cb',
  'https://rp.example.evil.example/cb',
  'https://rp。example/cb',
  'https://rp.example./cb',
  'HTTPS://rp.example/cb',
  'https://rp.example:443/cb',
  `${CALLBACK}/`,
  `${CALLBACK}#`,
  `${CALLBACK}?`,
  `${CALLBACK} `,
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
];

for (const redirect_uri of REDIRECTS) {
  // proves rfc6749-3.1.2-1, rfc6749-10.15-1
  test(`redirect_uri ${JSON.stringify(redirect_uri)}: 400 with a page that does not show it, and no redirect (H-165)`, async () => {
    for (const response_mode of ['query', 'form_post']) {
      const response = await ask(query({ redirect_uri, response_mode }));
      assert.equal(response.status, 400);
      assert.equal(response.headers.get('location'), null);
      assert.doesNotMatch(await response.text(), /evil|javascript:|data:text/);
    }
  });
}

const UNREADABLE: Readonly<Record<string, 'client' | 'person'>> = {
  'state=2': 'client',
  'nonce=%ff': 'client',
  '%00=%ff': 'client',
  'response_mode=query&response_mode=fragment': 'client',
  'client_id=other': 'person',
  'redirect_uri=https%3A%2F%2Fevil.example': 'person',
  'request=a.b.c&request=a.b.c': 'person',
  'request_uri=urn%3Ax&request_uri=urn%3Ax': 'person',
};

for (const [more, reader] of Object.entries(UNREADABLE)) {
  // proves rfc6749-3.1-1, rfc6749-4.1.2.1-1
  test(`S-02 ${more} beside a good request: invalid_request for the ${reader} (decision 53, RFC 6749 §4.1.2.1)`, async () => {
    const response = await ask(`${query()}&${more}`);
    await assertRefused(response);
    assert.equal(response.headers.get('location') === null, reader === 'person');
    const unknown = await ask(`${query({ client_id: 'nobody' })}&${more}`);
    assert.deepEqual([unknown.status, unknown.headers.get('location')], [400, null]);
  });
}

const HOSTILE: Readonly<Record<string, () => string>> = {
  'a bad escape': () => `${query()}&state=%zz`,
  'invalid UTF-8': () => `${query()}&login_hint=%ff%fe`,
  'redirect_uri twice, good and evil': () => `${query()}&redirect_uri=https%3A%2F%2Fevil.example`,
  'client_id twice': () => `${query()}&client_id=other`,
  'a thousand parameters': () => `${query()}&${Array.from({ length: 1000 }, (_, at) => `p${at}=`).join('&')}`,
  'a state of 5,000 characters': () => query({ state: 'x'.repeat(5000) }),
  'a nonce of 2,000 characters': () => query({ nonce: 'x'.repeat(2000) }),
  '4,000 scope values': () => query({ scope: 'x '.repeat(2500).trim() }),
  'claims a hundred levels deep': () => query({ claims: '{"id_token":'.repeat(100) + '1' + '}'.repeat(100) }),
  'claims with a member twice': () => query({ claims: '{"userinfo":{},"userinfo":{}}' }),
  'claims named like members of Object.prototype': () =>
    query({ claims: '{"userinfo":{"__proto__":1,"constructor":{"value":1}}}' }),
  'max_age -1': () => query({ max_age: '-1' }),
  'max_age 1e9': () => query({ max_age: '1e9' }),
  'prompt of Object.prototype': () => query({ prompt: 'constructor' }),
  'response_mode of Object.prototype': () => query({ response_mode: '__proto__' }),
  'response_type of Object.prototype': () => query({ response_type: 'toString' }),
  'a request object of four dots': () => query({ request: '....' }),
  'an id_token_hint that is another’s': () => query({ id_token_hint: 'eyJhbGciOiJub25lIn0.e30.' }),
  'a request_uri of this machine': () => query({ request_uri: 'http://127.0.0.1:1/' }),
};

for (const [title, make] of Object.entries(HOSTILE)) {
  // proves rfc6749-10.15-1
  test(`GET /authorize, ${title}: refused, by a page or at the registered address`, async () => {
    await assertRefused(await ask(make()));
  });
}

// proves rfc6749-4.1.1-1
test('characters that would end a header or a tag are encoded wherever they come out (H-171, H-180)', async () => {
  const state = `\r\nSet-Cookie: evil=1\r\n\r\n${XSS}\u2028`;
  const response = await ask(query({ state, prompt: 'none' }));
  assert.equal(response.headers.get('set-cookie'), null);
  assert.equal(new URL(response.headers.get('location') ?? '').searchParams.get('state'), state);
  const page = await ask(query({ state, prompt: 'none', response_mode: 'form_post' }));
  const html = await page.text();
  assert.doesNotMatch(html, /<script>alert/);
  // A browser makes one line end of two, as WHATWG HTML §4.10.21.4 says of every form.
  assert.equal(formOf(html).hidden['state']?.replaceAll('\r\n', '\n'), state.replaceAll('\r\n', '\n'));
  const registered = `${CALLBACK}?keep=%0d%0aSet-Cookie:x`;
  const kept = await ask(query({ redirect_uri: registered, prompt: 'none' }));
  assert.ok(kept.headers.get('location')?.startsWith(`${registered}&error=`));
});

test('names, hints and languages of strangers are text on the page (H-121, H-182)', async () => {
  const browser = plainBrowser(program.issuer);
  const ui_locales = Array.from({ length: 30 }, () => '../../etc/passwd')
    .join(' ')
    .slice(0, 256);
  const page = await browser.open(`${program.issuer}/authorize?${query({ login_hint: XSS, ui_locales })}`);
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.html, /<script>/);
  assert.match(page.html, /<html lang="en">/);
});

async function signedIn(): Promise<{ readonly visit: Visit; readonly session: readonly [string, string] }> {
  const browser = plainBrowser(program.issuer);
  const page = await browser.open(`${program.issuer}/authorize?${query()}`);
  const visit = await browser.submit(page, 'sign-in', account);
  const session = [...browser.cookies()].find(([name]) => name.includes('session')) ?? assert.fail();
  for (const value of browser.cookies().values()) secrets.add(value);
  secrets.add(new URL(visit.location ?? '').searchParams.get('code') ?? assert.fail('no code'));
  return { visit, session };
}

const isSignedIn = async (cookie: string): Promise<boolean> => {
  const response = await ask(query({ prompt: 'none' }), { cookie });
  return response.headers.get('location')?.includes('code=') === true;
};

test('a session cookie that is doubled, changed in any character, or cut off is none; other cookies do not matter (H-181, H-235)', async () => {
  const { session } = await signedIn();
  const [name, value] = session;
  assert.equal(await isSignedIn(`${name}=${value}`), true, 'it is one as it stands');
  assert.equal(await isSignedIn(`a=b; ${name}=${value}; c`), true, 'others do not matter');
  assert.equal(
    await isSignedIn(`${'x=y; '.repeat(1700)}${name}=${value}`),
    true,
    '8 KB of others do not matter (H-235)',
  );
  const changed = Array.from(
    value,
    (letter, at) => value.slice(0, at) + (letter === 'a' ? 'b' : 'a') + value.slice(at + 1),
  );
  const others = [
    `${name}=${value}; ${name}=${value}`,
    `${name}=${value}; ${name}=x`,
    `${name}=`,
    `${name}=${value.slice(0, -1)}`,
    `${name}="${value}"`,
    `${name.toUpperCase()}=${value}`,
    `${name}_chunks=999999; ${name}_0=${value}`,
    ...changed.map((other) => `${name}=${other}`),
  ];
  for (const cookie of others) assert.equal(await isSignedIn(cookie), false, cookie.slice(0, 80));
});

test('a planted session is not the session after sign-in (session fixation, S-08)', async () => {
  const { session } = await signedIn();
  const browser = plainBrowser(program.issuer);
  const page = await browser.open(`${program.issuer}/authorize?${query({ prompt: 'login' })}`);
  const planted = await fetch(page.url, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      cookie: [...browser.cookies(), session].map((pair) => pair.join('=')).join('; '),
      'sec-fetch-site': 'same-origin',
    },
    body: new URLSearchParams({ ...formOf(page.html).hidden, ...account, choice: 'sign-in' }),
  });
  assert.equal(planted.status, 303);
  const cookies = planted.headers.getSetCookie().join('\n');
  assert.ok(!cookies.includes(session[1]));
  assert.equal(await isSignedIn(session.join('=')), false, 'the one that was there is over');
});

const TYPED: Readonly<Record<string, { readonly username: string; readonly password: string }>> = {
  nothing: { username: '', password: '' },
  '30,000 characters': { username: 'a'.repeat(30_000), password: 'b'.repeat(30_000) },
  'other spellings of a name': { username: 'ｄｅｖｅｌｏｐｅｒ\u200b', password: 'x'.repeat(8) },
  SQL: { username: "' OR 1=1 --", password: "' OR 1=1 --" },
  'a tag': { username: XSS, password: XSS },
};

for (const [title, typed] of Object.entries(TYPED)) {
  test(`the sign-in form with ${title}: the page again, without what was sent`, async () => {
    const browser = plainBrowser(program.issuer);
    const page = await browser.open(`${program.issuer}/authorize?${query()}`);
    const again = await browser.submit(page, 'sign-in', typed);
    assert.equal(again.status, 200);
    assert.match(again.html, /name="password"/);
    assert.doesNotMatch(again.html, /<script>|OR 1=1|a{9}|b{9}/);
  });
}

test('the sign-in form with NUL in it: 400, as every form with one', async () => {
  const browser = plainBrowser(program.issuer);
  const page = await browser.open(`${program.issuer}/authorize?${query()}`);
  assert.equal((await browser.submit(page, 'sign-in', { username: 'a\0b', password: 'x' })).status, 400);
});

test('methods that no page has: 405 with Allow (decision 39)', async () => {
  for (const path of ['/authorize', '/userinfo', '/interaction/x']) {
    const response = await fetch(`${program.issuer}${path}`, { method: 'PUT' });
    assert.equal(response.status, 405);
    assert.match(response.headers.get('allow') ?? '', /GET.*POST/);
  }
  assert.equal((await fetch(`${program.issuer}/par`)).status, 405);
});

// proves rfc6749-10.12-1
test('a frame of another site gets nothing, and neither does its script (H-162, decision 40)', async () => {
  const response = await ask(query({ response_type: 'x' }), { origin: 'https://evil.example' });
  assert.equal(response.headers.get('access-control-allow-origin'), null);
  const page = await fetch(`${program.issuer}/interaction/x`, {
    headers: { origin: 'https://evil.example' },
  });
  assert.equal(page.headers.get('access-control-allow-origin'), null);
  assert.equal(page.headers.get('x-frame-options'), 'DENY');
});

test('no header of the request makes an address: Host and Forwarded change nothing (decision 1)', async () => {
  const { answers } = await converse(program, [
    `GET /authorize?${query()} HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nForwarded: host=evil.example\r\n\r\n`,
  ]);
  assert.equal(answers[0]?.status, 303);
  assert.ok(answers[0]?.headers['location']?.startsWith(`${program.issuer}/interaction/`));
});

test('UserInfo: a token in the query, in a JSON body or doubled opens nothing (H-020, H-010)', async () => {
  const { visit } = await signedIn();
  const code = new URL(visit.location ?? '').searchParams.get('code') ?? '';
  const { client_id, client_secret } = client;
  const answered = await fetch(`${program.issuer}/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK }),
  });
  const { access_token = '' } = (await answered.json()) as { access_token?: string };
  assert.notEqual(access_token, '');
  secrets.add(access_token);
  assert.equal((await fetch(`${program.issuer}/userinfo?access_token=${access_token}`)).status, 401);
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ access_token });
  const posted = await fetch(`${program.issuer}/userinfo`, { method: 'POST', headers: json, body });
  assert.equal(posted.status, 400);
  const { answers } = await converse(program, [
    `GET /userinfo HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${access_token}\r\nAuthorization: Bearer x\r\n\r\n`,
  ]);
  assert.equal(answers[0]?.status, 400);
});

test('the log holds no password, code, cookie, token or state (I6)', () => {
  const output = program.output();
  assert.match(output, /"refused"/);
  assert.ok(secrets.size > 4);
  const logged = output.split('\n').filter((line) => line.startsWith('{'));
  for (const secret of [...secrets, account.password, 'state-of-a-client', client.client_secret])
    assert.ok(!logged.some((line) => line.includes(secret)), 'a secret is in the log');
  assert.doesNotMatch(output, /"level":"error"/);
});
