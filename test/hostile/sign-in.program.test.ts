import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setDisabled } from '../../src/sessions/manage-account.ts';
import { ACTOR } from '../../src/testing/end-users.ts';
import type { Fields } from '../program/code-request.ts';
import { formOf, type PlainBrowser, type Visit } from '../program/plain-browser.ts';
import { attackedProgram, CANARY } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import {
  type Accounts,
  accountsBeside,
  answered,
  authorizeUrl,
  browserAt,
  CALLBACK,
  cookieHeader,
  type Registered,
  reached,
  redeem,
  register,
  through,
} from './sign-in-world.ts';

/** Sign-in as attackers see it, who have a link, a handle, a cookie or a form of another person. */
const ADA = { username: 'ada', password: 'correct horse canary' };
const EVE = { username: 'eve', password: 'battery staple canary' };
const ORIGIN = 'https://spa.example';
let accounts: Accounts;
let client: Registered;
const attacked = attackedProgram(
  { environment: { CHANCERY_CORS_ORIGINS: ORIGIN } },
  async ({ program, secrets }) => {
    accounts = await accountsBeside(program);
    await accounts.add(ADA);
    await accounts.add(EVE);
    secrets.add(ADA.password).add(EVE.password);
    client = await register(program, { client_name: EVIL_NAME });
  },
);
after(async () => await accounts.close());

const EVIL_NAME = `"><img src=x onerror=alert(1)>{{6007*6011}}<script>alert(1)</script>`;
const url = (change: Fields = {}, as = client): string => authorizeUrl(attacked.program, as, change);
const browser = (): PlainBrowser => browserAt(attacked.program);
const names = (own: PlainBrowser): string => [...own.cookies().keys()].join();

/** A request with exactly these cookies and headers. */
async function raw(address: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(reached(attacked.program, address), { redirect: 'manual', ...init });
}

/** Its cookie, by name and value. */
function sessionOf(own: PlainBrowser): readonly [name: string, value: string] {
  return [...own.cookies()].find(([name]) => name.includes('session')) ?? assert.fail('no session');
}

async function signedIn(person = ADA): Promise<PlainBrowser> {
  const own = browser();
  const { code } = answered(await through(own, url(), person));
  assert.ok(code);
  return own;
}

function assertPage({ status, location, headers }: Visit, expected: number): void {
  assert.equal(status, expected);
  assert.equal(location, undefined);
  assert.match(headers.get('content-type') ?? '', /^text\/html/);
  assertHeaders(headers);
}

function assertHeaders(headers: Headers): void {
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'self'; .*frame-ancestors 'none'; base-uri 'none'$/,
  );
  assert.doesNotMatch(headers.get('content-security-policy') ?? '', /unsafe|\*/);
  assert.equal(headers.get('x-frame-options'), 'DENY');
  assert.equal(headers.get('cross-origin-opener-policy'), 'same-origin', 'H-246');
  assert.equal(headers.get('referrer-policy'), 'no-referrer');
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
}

const UNPROVEN: readonly (readonly [what: string, change: Fields])[] = [
  ['no redirect_uri', { redirect_uri: undefined }],
  ['a slash more', { redirect_uri: `${CALLBACK}/` }],
  ['a query more', { redirect_uri: `${CALLBACK}?x=1` }],
  ['a fragment', { redirect_uri: `${CALLBACK}#x` }],
  ['another case', { redirect_uri: CALLBACK.replace('rp', 'RP') }],
  ['the default port', { redirect_uri: 'https://rp.example:443/cb' }],
  ['user information', { redirect_uri: 'https://rp.example@evil.example/cb' }],
  ['a backslash', { redirect_uri: 'https://rp.example\\@evil.example/cb' }],
  ['a path upwards', { redirect_uri: 'https://rp.example/x/../cb' }],
  ['an encoded letter', { redirect_uri: 'https://rp.example/c%62' }],
  ['a line feed', { redirect_uri: `${CALLBACK}\n` }],
  ['CR LF and a header', { redirect_uri: `${CALLBACK}\r\nset-cookie: a=b` }],
  ['a script', { redirect_uri: 'javascript:alert(1)' }],
  ['no address', { redirect_uri: '//evil.example' }],
  ['another client', { client_id: 'nobody', redirect_uri: 'https://evil.example/' }],
  ['no client', { client_id: undefined }],
  ['a client of strange name', { client_id: '__proto__' }],
];

for (const [what, change] of UNPROVEN) {
  test(`S-01 ${what}: no redirect, and the page does not show it (RFC 6749 §4.1.2.1, RFC 9700 §4.1)`, async () => {
    const page = await browser().visit(url(change));
    assertPage(page, 400);
    for (const sent of Object.values(change))
      if (sent !== undefined) assert.ok(!page.html.includes(sent.trim()), page.html);
  });
}

const STATES = [
  'a\r\nSet-Cookie: a=b',
  '"><script>alert(1)</script>',
  '&code=x#y',
  '\u2028{{6007*6011}}',
  'é'.repeat(2000),
];

for (const response_mode of ['query', 'fragment', 'form_post']) {
  test(`S-03 a hostile state comes back as it was, once, and as nothing else: ${response_mode}`, async () => {
    for (const state of STATES) {
      const page = await browser().visit(url({ state, response_mode, prompt: 'none' }));
      assert.equal(page.headers.get('set-cookie'), null);
      const { error, ...rest } = answered(page);
      assert.equal(error, 'login_required', page.html);
      assert.deepEqual(Object.keys(rest).sort(), ['error_description', 'iss', 'state']);
      if (response_mode !== 'form_post') assert.equal(rest['state'], state);
      assert.doesNotMatch(page.html, /<script>|36108077/);
      if (page.location === undefined) assertHeaders(page.headers);
    }
  });
}

test('S-04 what a request and a client say of themselves is text on every page (H-121, H-180, H-185)', async () => {
  const own = browser();
  const evil = '"><script>alert(1)</script>{{6007*6011}}';
  const sent = {
    login_hint: evil,
    ui_locales: `../../etc/passwd constructor ${evil}`,
    prompt: 'login consent',
  };
  const page = await own.open(url(sent));
  const consent = await own.submit(page, 'sign-in', ADA);
  const wrong = await own.submit(await own.open(url(sent)), 'sign-in', { username: evil, password: 'x' });
  for (const shown of [page, consent, wrong]) {
    assertPage(shown, 200);
    assert.doesNotMatch(shown.html, /<script>|<img|36108077/);
    assert.match(shown.html, /&lt;script&gt;/);
  }
});

test('S-05 a handle is good in the browser that it was made for, and in no other', async () => {
  const victim = browser();
  const page = await victim.open(url());
  const thief = await signedIn(EVE);
  for (const answer of [await thief.visit(page.url), await thief.submit(page, 'sign-in', EVE)])
    assertPage(answer, 400);
  const bare = await raw(page.url);
  assert.equal(bare.status, 400);
  assert.deepEqual(bare.headers.getSetCookie(), []);
  assert.equal(answered(await victim.submit(page, 'sign-in', ADA))['state'], 'af0ifjsldkj');
});

const FORGED: readonly (readonly [what: string, headers: Readonly<Record<string, string>>])[] = [
  ['no word of where it comes from', {}],
  ['another site', { 'sec-fetch-site': 'cross-site', origin: 'null' }],
  ['a sister site', { 'sec-fetch-site': 'same-site' }],
  [
    'an origin that lies beside the browser',
    { 'sec-fetch-site': 'cross-site', origin: 'https://op.example.com' },
  ],
  ['an allowed origin', { origin: ORIGIN }],
  ['H-241: an origin that no log line may hold', { origin: `https://${CANARY}.example` }],
];

for (const [what, headers] of FORGED) {
  test(`S-06 login CSRF: a form from ${what} does not sign in (H-161)`, async () => {
    const own = browser();
    const page = await own.open(url());
    const { hidden } = formOf(page.html);
    const body = new URLSearchParams({ ...hidden, ...EVE, choice: 'sign-in' });
    const answer = await raw(page.url, {
      method: 'POST',
      body,
      headers: { cookie: cookieHeader(own), ...headers },
    });
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.headers.getSetCookie(), []);
    assertHeaders(answer.headers);
  });
}

test('S-07 a post without cookies, or with another tab’s token: 400, nothing happens', async () => {
  const own = browser();
  const [page, other] = [await own.open(url()), await own.open(url())];
  const { form_token = '' } = formOf(other.html).hidden;
  assertPage(await own.submit(page, 'sign-in', { ...ADA, form_token }), 400);
  assertPage(await browser().submit(page, 'sign-in', ADA), 400);
  assert.doesNotMatch(names(own), /session/);
});

test('S-08 session fixation: a planted session is not taken up, and a session that was there ends', async () => {
  const eve = await signedIn(EVE);
  const [name, planted] = sessionOf(eve);
  const victim = browser();
  const page = await victim.open(url({ prompt: 'login' }));
  (victim.cookies() as Map<string, string>).set(name, planted);
  await victim.submit(page, 'sign-in', ADA);
  assert.notEqual(victim.cookies().get(name), planted);
  assert.equal(answered(await eve.open(url({ prompt: 'none' })))['error'], 'login_required');
  const made = browser();
  (made.cookies() as Map<string, string>).set(name, 'x'.repeat(43));
  await through(made, url(), ADA);
  assert.notEqual(made.cookies().get(name), 'x'.repeat(43));
});

test('S-09 one page, many answers at once: one code, and what is left says that it is over', async () => {
  const own = browser();
  const page = await own.open(url());
  const posts = Array.from({ length: 8 }, async () => await browserWith(own).submit(page, 'sign-in', ADA));
  const visits = await Promise.all(posts);
  assert.equal(visits.filter(({ location }) => location !== undefined).length, 1);
  for (const visit of visits) if (visit.location === undefined) assertPage(visit, 400);
});

function browserWith(other: PlainBrowser): PlainBrowser {
  const own = browser();
  for (const [name, value] of other.cookies()) (own.cookies() as Map<string, string>).set(name, value);
  return own;
}

test('S-10 yes and no at once: the client hears one of them (OpenID Connect Core 1.0 §3.1.2.4)', async () => {
  const own = await signedIn();
  for (let round = 0; round < 5; round += 1) {
    const page = await own.open(url({ prompt: 'consent' }));
    const visits = await Promise.all(
      ['allow', 'deny', 'allow', 'deny'].map(async (choice) => await own.submit(page, choice)),
    );
    const said = visits.filter(({ location }) => location !== undefined);
    assert.equal(said.length, 1);
  }
});

test('S-11 a consent page of one person is not agreed to by the next, in the same browser', async () => {
  const own = await signedIn(ADA);
  const consent = await own.open(url({ prompt: 'consent' }));
  await through(own, url({ prompt: 'login' }), EVE);
  assertPage(await own.submit(consent, 'allow'), 400);
});

test('S-12 looking ahead uses nothing up: prefetch, prerender, preview, HEAD (H-160)', async () => {
  const own = await signedIn();
  const pushed = await raw(url().replace(/\?.*/, ''), {
    method: 'POST',
    body: new URLSearchParams(url().replace(/^[^?]*\?/, '')),
  });
  const { headers } = pushed;
  const address = headers.get('location') ?? assert.fail();
  assert.match(address, /request_uri=/);
  const page = await own.open(url({ prompt: 'consent' }));
  for (const visited of [address, page.url]) {
    for (const ahead of [
      { headers: { 'sec-purpose': 'prefetch' } },
      { headers: { 'sec-purpose': 'prefetch;prerender' } },
      { headers: { purpose: 'preview' } },
      { method: 'HEAD', headers: {} },
    ]) {
      const answer = await raw(visited, {
        ...ahead,
        headers: { ...ahead.headers, cookie: cookieHeader(own) },
      });
      assert.equal(answer.status, 400, `${JSON.stringify(ahead)} ${visited}`);
    }
  }
  assert.ok(answered(await own.open(address))['code']);
  assert.ok(answered(await own.submit(page, 'allow'))['code']);
  assertPage(await own.open(address), 400);
});

test('S-13 no script of another origin reads what browsers are led to (RFC 9700 §2.6)', async () => {
  const own = await signedIn();
  const page = await own.open(url({ prompt: 'consent' }));
  const { issuer } = attacked.program;
  for (const address of [url(), page.url, `${issuer}/logout`, `${issuer}/assets/style.css`]) {
    for (const method of ['GET', 'OPTIONS']) {
      const asked = { origin: ORIGIN, 'access-control-request-method': 'GET', cookie: cookieHeader(own) };
      const answer = await raw(address, { method, headers: asked });
      const granted = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-allow'));
      assert.deepEqual(granted, [], `${method} ${address}`);
    }
  }
});

const COOKIES: readonly (readonly [what: string, change: (name: string, value: string) => string])[] = [
  ['twice', (name, value) => `${name}=${value}; ${name}=${value}`],
  ['beside a planted one', (name, value) => `${name}=planted; ${name}=${value}`],
  ['truncated', (name, value) => `${name}=${value.slice(0, -1)}`],
  ['longer', (name, value) => `${name}=${value}x`],
  ['in another case', (name, value) => `${name}=${value.toLowerCase()}`],
  ['quoted', (name, value) => `${name}="${value}"`],
  ['without its prefix', (name, value) => `${name.replace('__Host-', '')}=${value}`],
  ['with __Secure-', (name, value) => `${name.replace('__Host-', '__Secure-')}=${value}`],
  ['of another issuer', (name, value) => `${name.slice(0, -8)}AAAAAAAA=${value}`],
  ['as that of an interaction', (name, value) => `${name.replace('session', 'interaction')}=${value}`],
  ['of 8 KB', (name) => `${name}=${'x'.repeat(8200)}`],
  ['of a key in the prototype', () => '__proto__=x; constructor=y'],
];

for (const [what, change] of COOKIES) {
  test(`H-181 a session cookie ${what} is none`, async () => {
    const own = await signedIn();
    const [name, value] = sessionOf(own);
    assert.match(name, /^__Host-chancery-session-[A-Za-z0-9]{8}$/);
    const asked = async (cookie: string): Promise<string> =>
      (await raw(url({ prompt: 'none' }), { headers: { cookie } })).headers.get('location') ?? '';
    assert.match(await asked(change(name, value)), /error=login_required/);
    assert.match(await asked(`${'a=b; '.repeat(200)}${name}=${value}`), /[?&]code=/);
  });
}

test('H-235 a session cookie behind 8 KB of others is read', async () => {
  const own = await signedIn();
  const [name, value] = sessionOf(own);
  const cookie = `${'a=b; '.repeat(1700)}${name}=${value}`;
  const { headers } = await raw(url({ prompt: 'none' }), { headers: { cookie } });
  assert.match(headers.get('location') ?? '', /[?&]code=/);
});

const PASSWORDS: readonly (readonly [what: string, body: string, status: number])[] = [
  ['with NUL behind it', `username=ada&password=${encodeURIComponent(ADA.password)}%00`, 400],
  ['with NUL before it', `username=ada&password=%00${encodeURIComponent(ADA.password)}`, 400],
  ['not in UTF-8', `username=ada&password=%ff%fe`, 400],
  ['of a lone surrogate', 'username=ada&password=%ed%a0%80', 400],
  ['of 60 KB', `username=ada&password=${'x'.repeat(60_000)}`, 200],
  ['of 1 MB', `username=ada&password=${'x'.repeat(1 << 20)}`, 413],
  ['for a name of 60 KB', `username=${'a'.repeat(60_000)}&password=x`, 200],
  ['for a name with NUL', `username=ada%00&password=${encodeURIComponent(ADA.password)}`, 400],
  ['for a name not in UTF-8', 'username=%c0%80ada&password=x', 400],
  ['given twice', 'username=ada&password=a&password=b', 400],
  ['in 10,000 parameters', `username=ada${'&a=b'.repeat(10_000)}`, 400],
  ['that is missing', 'username=ada', 200],
];

for (const [what, sent, status] of PASSWORDS) {
  test(`S-14 a password ${what} does not sign in: ${status}`, async () => {
    const own = browser();
    const page = await own.open(url());
    const { form_token = '' } = formOf(page.html).hidden;
    const answer = await raw(page.url, {
      method: 'POST',
      body: `form_token=${form_token}&choice=sign-in&${sent}`,
      headers: {
        cookie: cookieHeader(own),
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    assert.equal(answer.status, status);
    assert.deepEqual(answer.headers.getSetCookie(), []);
  });
}

test('S-15 an account that is disabled while it signs in, agrees, or its code waits gets nothing', async () => {
  const mallory = { username: 'mallory', password: 'tin foil hat canary' };
  attacked.secrets.add(mallory.password);
  const account = await accounts.add(mallory);
  const own = browser();
  const consent = await own.submit(await own.open(url({ prompt: 'consent' })), 'sign-in', mallory);
  const { code } = answered(await own.open(url()));
  const page = await browserWith(own).open(url({ prompt: 'login' }));
  await setDisabled(accounts.needs, account, true, ACTOR);
  assert.equal((await redeem(attacked.program, client, code)).json['error'], 'invalid_grant');
  assert.match((await browserWith(own).submit(consent, 'allow')).html, /name="password"/);
  assert.equal(answered(await own.open(url({ prompt: 'none' })))['error'], 'login_required');
  const refused = await own.submit(page, 'sign-in', mallory);
  assertPage(refused, 200);
  assert.match(refused.html, /role="alert"/);
});

test('S-16 a redirection URI that was withdrawn while a page waits gets nothing (RFC 9700 §4.1)', async () => {
  const own = await register(attacked.program);
  const person = browser();
  const page = await person.open(url({}, own));
  const answer = await raw(`${attacked.program.issuer}/clients/${own.client_id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${own.registration_access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://rp.example/new'] }),
  });
  assert.equal(answer.status, 200, await answer.text());
  assertPage(await person.submit(page, 'sign-in', ADA), 400);
});

testInvariantsAtTheEnd(attacked);
