import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PlainBrowser, Visit } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Accounts,
  accountsBeside,
  authorizeUrl,
  browserAt,
  type Registered,
  reached,
  register,
  through,
} from './sign-in-world.ts';

/** Hostile front-channel logout against the started program (docs/contract/hostile/logout.md, H-340 to H-344). */
const ADA = { username: 'ada', password: 'analytical engine 1843' };
const BOB = { username: 'bob', password: 'difference engine 1822' };
const FRAMES_MAX = 3;
const FRAMED = { frontchannel_logout_uri: 'https://rp.example/out' };
let program: Program;
let accounts: Accounts;

before(async () => {
  program = await startProgram({ environment: { CHANCERY_LOGOUT_FRAMES_MAX: String(FRAMES_MAX) } });
  accounts = await accountsBeside(program);
  await accounts.add(ADA);
  await accounts.add(BOB);
});
after(async () => {
  await accounts.close();
  await program.stop();
});

const URIS: readonly (readonly [uri: unknown, says: RegExp])[] = [
  [
    'https://other.example/out',
    /must have the scheme, host and port of one of redirect_uris; allowed: https:/,
  ],
  ['https://rp.example:8443/out', /must have the scheme, host and port/],
  ['http://rp.example/out', /must be an https URL; http is allowed for loopback hosts only/],
  ['http://127.0.0.1/out', /must have the scheme, host and port/],
  ['https://rp.example/out#x', /must not have a fragment/],
  ['https://rp.example/out?sid=mine', /query parameter sid/],
  ['https://rp.example/out?a&i%73s=', /query parameter iss/],
  ['https://rp.example:0/out', /must be an https URL/],
  ['//rp.example/out', /must be an https URL/],
  ['/out', /must be an https URL/],
  [7, /must be an https URL/],
  [['https://rp.example/out'], /must be an https URL/],
  [`https://rp.example/${'x'.repeat(3000)}`, /must be an https URL/],
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'blob:https://rp.example/1',
    'about:blank',
    'file:///etc/passwd',
    'com.example.app:/out',
  ].map((uri) => [uri, /must be an https URL/] as const),
];

const INJECTED = [
  'https://rp.example;script-src *',
  'https://rp.example; script-src *',
  'https://rp.example *',
  'https://rp.example,*',
  'https://*',
  'https://*.example',
  "https://rp.example'unsafe-inline'",
  'https://rp.example"',
  'https://rp.example\r\nSet-Cookie: a=b',
  'https://rp.example\\@evil.example/out',
  'https://evil.example@rp.example/out',
  'https://rp.example%3bscript-src%20*/out',
  'https://rp。example/out',
];

async function refusal(change: object): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${program.url}/clients`, {
    method: 'POST',
    headers: { authorization: `Bearer ${program.masterToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'], ...change }),
  });
  return { status: answer.status, text: await answer.text() };
}

for (const [uri, says] of URIS) {
  test(`H-340: frontchannel_logout_uri ${JSON.stringify(uri).slice(0, 60)} is 400 with the reason`, async () => {
    const { status, text } = await refusal({ frontchannel_logout_uri: uri });
    const { error, error_description } = JSON.parse(text) as Record<string, string>;
    assert.deepEqual([status, error], [400, 'invalid_client_metadata'], text);
    assert.match(error_description ?? '', says);
    assert.match(error_description ?? '', /^frontchannel_logout_uri /);
  });
}

for (const uri of INJECTED) {
  test(`H-341: frontchannel_logout_uri ${JSON.stringify(uri)} adds nothing to a policy: 400`, async () => {
    const { status, text } = await refusal({ frontchannel_logout_uri: uri });
    assert.equal(status, 400, text);
    assert.match(text, /frontchannel_logout_uri/);
  });
}

async function signIn(browser: PlainBrowser, client: Registered, person = ADA): Promise<void> {
  const { location = '' } = await through(browser, authorizeUrl(program, client), person);
  assert.ok(location.includes('code='), location);
}

const logoutPage = async (browser: PlainBrowser): Promise<Visit> =>
  await browser.open(`${program.issuer}/logout`);

const framesOf = ({ html }: Visit): readonly URL[] =>
  [...html.matchAll(/<iframe src="([^"]*)"/g)].map(
    ([, src = '']) => new URL(src.replaceAll('&amp;', '&').replaceAll('&#39;', "'")),
  );

const frameSources = ({ headers }: Visit): string | undefined =>
  / frame-src ([^;]*);/.exec(headers.get('content-security-policy') ?? '')?.[1];

test('H-341: the policy of the page has the origins of its frames and nothing else', async () => {
  const browser = browserAt(program);
  const path = "/out;script-src%20*?x=';%22,*&y=%0d%0a";
  await signIn(browser, await register(program, { frontchannel_logout_uri: `https://rp.example${path}` }));
  const page = await browser.submit(await logoutPage(browser), 'logout');
  assert.equal(frameSources(page), 'https://rp.example');
  assert.doesNotMatch(page.headers.get('content-security-policy') ?? '', /unsafe|\*|evil/);
  assert.equal(framesOf(page).length, 1);
  assert.ok(
    framesOf(page)[0]?.href.startsWith(`https://rp.example${path.replace("'", '%27')}&iss=`),
    page.html,
  );
});

test('H-342: a session of ten clients with front-channel addresses has three frames, and the log names the other seven', async () => {
  const browser = browserAt(program);
  const clients: Registered[] = [];
  for (let count = 0; count < 10; count += 1) {
    const client = await register(program, FRAMED);
    clients.push(client);
    await signIn(browser, client);
  }
  const page = await browser.submit(await logoutPage(browser), 'logout');
  assert.equal(page.status, 200);
  assert.equal(framesOf(page).length, FRAMES_MAX);
  await program.printed(/the page after a logout has no frame for some clients/);
  const line =
    program
      .output()
      .split('\n')
      .find((text) => text.includes('has no frame for some clients')) ?? '';
  const named = clients.filter(({ client_id }) => line.includes(client_id));
  assert.equal(named.length, clients.length - FRAMES_MAX);
});

test('H-343: no frame for a client outside the session, a deleted one, or one that has dropped its address', async () => {
  const browser = browserAt(program);
  await register(program, FRAMED);
  const deleted = await register(program, FRAMED);
  const changed = await register(program, FRAMED);
  const stays = await register(program, { frontchannel_logout_uri: 'https://rp.example/stays' });
  for (const client of [deleted, changed, stays]) await signIn(browser, client);
  const manage = async (client: Registered, init: RequestInit): Promise<void> => {
    const headers = {
      authorization: `Bearer ${client.registration_access_token}`,
      'content-type': 'application/json',
    };
    const address = reached(program, `${program.issuer}/clients/${client.client_id}`);
    const answer = await fetch(address, { ...init, headers });
    assert.ok(answer.ok, `${answer.status} ${await answer.text()}`);
  };
  await manage(deleted, { method: 'DELETE' });
  await manage(changed, {
    method: 'PUT',
    body: JSON.stringify({ redirect_uris: ['https://rp.example/cb'] }),
  });
  const page = await browser.submit(await logoutPage(browser), 'logout');
  assert.deepEqual(
    framesOf(page).map(({ pathname }) => pathname),
    ['/stays'],
  );
});

test('H-344: frames name the session that has ended, once: not for “stay”, not for a second answer, not for another end-user', async () => {
  const client = await register(program, FRAMED);
  const [adas, bobs] = [browserAt(program), browserAt(program)];
  await signIn(adas, client);
  await signIn(bobs, client, BOB);
  assert.deepEqual(framesOf(await adas.submit(await logoutPage(adas), 'stay')), []);
  const [first, second] = [await logoutPage(adas), await logoutPage(adas)];
  const told = framesOf(await adas.submit(first, 'logout'));
  assert.equal(told.length, 1);
  assert.equal(told[0]?.searchParams.get('iss'), program.issuer);
  const again = await adas.submit(first, 'logout');
  assert.equal(again.status, 400);
  assert.deepEqual([...framesOf(again), ...framesOf(await adas.submit(second, 'logout'))], []);
  assert.deepEqual(
    framesOf(await adas.submit(await logoutPage(bobs), 'logout')),
    [],
    'another browser’s page',
  );
  const other = framesOf(await bobs.submit(await logoutPage(bobs), 'logout'));
  assert.equal(other.length, 1);
  assert.notEqual(other[0]?.searchParams.get('sid'), told[0]?.searchParams.get('sid'));
});
