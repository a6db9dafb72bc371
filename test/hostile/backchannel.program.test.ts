import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CIBA_GRANT, TILL } from '../../src/testing/backchannel.ts';
import { signedJwt, testKey } from '../../src/testing/jwt.ts';
import type { PlainBrowser, Visit } from '../program/plain-browser.ts';
import { plainBrowser } from '../program/plain-browser.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { FORM_TYPE } from './introspection-requests.ts';
import { type RegisteredClient, register } from './registry.ts';
import { accountsBeside, browserAt, reached } from './sign-in-world.ts';

/** H-700…H-711: clients without a browser that guess, hurry, forge and flood, and people who answer twice. */
const environment = { CHANCERY_CIBA_ENABLED: 'true', CHANCERY_CIBA_OPEN_PER_PERSON: '50' };
const ADA = { username: 'ada', password: 'analytical engine' };
const key = testKey('ES256', 'till');

const attacked = attackedProgram({ environment }, async (started) => {
  till = await register(started, TILL);
  other = await register(started, TILL);
  signing = await register(started, {
    ...TILL,
    jwks: { keys: [key.jwk] },
    backchannel_authentication_request_signing_alg: 'ES256',
  });
  const accounts = await accountsBeside(started.program);
  await accounts.add(ADA);
  await accounts.close();
});
let till: RegisteredClient;
let other: RegisteredClient;
let signing: RegisteredClient;
let second: Program | undefined;
after(async () => await second?.stop());

/** A second process of the same server. */
async function secondProcess(): Promise<Program> {
  second ??= await startProgram({ folder: attacked.program.folder, environment });
  return second;
}

type Fields = Readonly<Record<string, string>>;
const form = (path: string, fields: Fields, by?: RegisteredClient): HostileRequest => ({
  method: 'POST',
  path,
  headers: FORM_TYPE,
  body: String(new URLSearchParams(fields)),
  ...(by === undefined
    ? {}
    : { authorization: `Basic ${btoa(`${encodeURIComponent(by.client_id)}:${by.client_secret}`)}` }),
});

const asking = (fields: Fields = {}, by = till): HostileRequest =>
  form('/backchannel_authentication', { scope: 'openid', login_hint: ADA.username, ...fields }, by);

async function ask(fields: Fields = {}, by = till): Promise<string> {
  const { json, body } = await attacked.send(asking(fields, by));
  assert.equal(typeof json['auth_req_id'], 'string', body);
  attacked.secrets.add(String(json['auth_req_id']));
  return String(json['auth_req_id']);
}

const polling = (auth_req_id: string, by = till): HostileRequest =>
  form('/token', { grant_type: CIBA_GRANT, auth_req_id }, by);

function assertRefused({ status, json, body }: Answer, error: string, what: string): void {
  assert.deepEqual([status, json['error']], [400, error], `${what}: ${body}`);
}

/** Polls at once, in turn at both processes. Returns their answers. */
async function polls(
  auth_req_id: string,
  count: number,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const urls = [attacked.program.url, (await secondProcess()).url];
  const { body = '', authorization = '' } = polling(auth_req_id);
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const headers = { authorization, 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(`${urls[index % 2] ?? ''}/token`, { method: 'POST', headers, body });
      return (await answer.json()) as Readonly<Record<string, unknown>>;
    }),
  );
}

const REQUESTS = '/account/requests';

/** Signs in, and opens the only request in as many windows. */
async function windows(browser: PlainBrowser, count: number): Promise<readonly Visit[]> {
  let list = await browser.open(attacked.program.issuer + REQUESTS);
  if (list.html.includes('name="password"')) list = await browser.submit(list, 'sign-in', ADA);
  const pages: Visit[] = [];
  for (let index = 0; index < count; index += 1) pages.push(await browser.submit(list, 'review'));
  return pages;
}

test('H-700 an auth_req_id that is cut, extended, of another client, of a device or none is refused (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const auth_req_id = await ask();
  const rows = [auth_req_id.slice(1), `${auth_req_id}x`, '', ' ', 'ciba_', '%00', `device_${'x'.repeat(43)}`];
  for (const code of [...rows, 'x'.repeat(5000)])
    assertRefused(
      await attacked.send(polling(code)),
      code === '' ? 'invalid_request' : 'invalid_grant',
      code,
    );
  assertRefused(await attacked.send(polling(auth_req_id, other)), 'invalid_grant', 'another client');
  assertRefused(await attacked.send(polling(auth_req_id)), 'authorization_pending', 'its own client');
  await answerAll();
});

/** The person refuses what is open, so that each test has one request. */
async function answerAll(): Promise<void> {
  const browser = browserAt(attacked.program);
  let list = await browser.open(attacked.program.issuer + REQUESTS);
  if (list.html.includes('name="password"')) list = await browser.submit(list, 'sign-in', ADA);
  while (list.html.includes('value="review"')) list = await browser.submit(list, 'deny');
}

test('H-701 a hundred polls at once, at two processes: no tokens, no 5xx, authorization_pending and slow_down (OpenID Connect CIBA Core 1.0 §11)', async () => {
  const auth_req_id = await ask();
  const errors = new Set((await polls(auth_req_id, 100)).map(({ error }) => error));
  assert.deepEqual(errors, new Set(['authorization_pending', 'slow_down']));
  await answerAll();
});

test('H-702 of forty polls at once, at two processes, after the person has allowed, one at most gets tokens, and their copy ends them (RFC 6749 §4.1.2)', async () => {
  const auth_req_id = await ask();
  const browser = browserAt(attacked.program);
  const [page = assert.fail()] = await windows(browser, 1);
  assert.match((await browser.submit(page, 'allow')).html, /Access allowed/);
  const answers = await polls(auth_req_id, 40);
  const issued = answers.filter(({ access_token }) => typeof access_token === 'string');
  assert.ok(issued.length <= 1, String(issued.length));
  for (const { access_token } of issued) attacked.secrets.add(String(access_token));
  const refused = answers.filter(({ error }) => error === 'invalid_grant');
  assert.equal(refused.length + issued.length, 40);
});

test('H-707 a person who allows and refuses at once, at two processes, has decided once, and the client learns that decision', async () => {
  const auth_req_id = await ask();
  const browser = browserAt(attacked.program);
  const pages = await windows(browser, 8);
  const elsewhere = await secondProcess();
  const other_node = plainBrowser(
    attacked.program.issuer,
    async (url, init) => await fetch(reached({ ...attacked.program, url: elsewhere.url }, url), init),
  );
  for (const [name, value] of browser.cookies())
    (other_node.cookies() as Map<string, string>).set(name, value);
  const shown = await Promise.all(
    pages.map(async (page, index) => {
      const { html } = await (index % 2 === 0 ? browser : other_node).submit(
        page,
        index % 4 < 2 ? 'allow' : 'deny',
      );
      return /Access allowed|Access denied|This request is over/u.exec(html)?.[0] ?? html;
    }),
  );
  const decisions = shown.filter((text) => text !== 'This request is over');
  assert.equal(decisions.length, 1, String(shown));
  const { status, json } = await attacked.send(polling(auth_req_id));
  if (decisions[0] === 'Access allowed') {
    assert.equal(status, 200);
    attacked.secrets.add(String(json['access_token']));
  } else assert.equal(json['error'], 'access_denied');
});

// proves ciba-7.1.1-1
test('H-708 a signed request that is forged, for another server, too long-lived, used twice or has parameters beside it asks no one (OpenID Connect CIBA Core 1.0 §7.1.1)', async () => {
  const now = Math.floor(Date.now() / 1000);
  const claims = (change: object = {}): object => ({
    iss: signing.client_id,
    aud: attacked.program.issuer,
    iat: now,
    nbf: now,
    exp: now + 300,
    jti: `jti ${Math.random()}`,
    scope: 'openid',
    login_hint: ADA.username,
    ...change,
  });
  const send = async (request: string, fields: Fields = {}): Promise<Answer> =>
    await attacked.send(form('/backchannel_authentication', { request, ...fields }, signing));
  const strange = testKey('ES256', 'till');
  const rows: readonly (readonly [what: string, request: string, fields?: Fields])[] = [
    ['of another key', signedJwt(strange, claims())],
    ['unsigned', `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(claims()))}.`],
    ['for another server', signedJwt(key, claims({ aud: 'https://other.example' }))],
    ['of another client', signedJwt(key, claims({ iss: till.client_id }))],
    ['expired', signedJwt(key, claims({ iat: now - 900, nbf: now - 900, exp: now - 600 }))],
    ['of a day', signedJwt(key, claims({ exp: now + 86_400 }))],
    ['without jti', signedJwt(key, claims({ jti: undefined }))],
    ['without nbf', signedJwt(key, claims({ nbf: undefined }))],
    ['with a request inside', signedJwt(key, claims({ request: 'x' }))],
    ['with a parameter beside it', signedJwt(key, claims()), { login_hint: ADA.username }],
    ['with a hint as a list', signedJwt(key, claims({ login_hint: [{}] }))],
    ['malformed', 'x.y.z'],
  ];
  for (const [what, request, fields] of rows)
    assertRefused(await send(request, fields), 'invalid_request', what);
  assertRefused(await attacked.send(asking({}, signing)), 'invalid_request', 'a plain request');
  const good = signedJwt(key, claims());
  const begun = await send(good);
  assert.equal(begun.status, 200, begun.body);
  attacked.secrets.add(String(begun.json['auth_req_id']));
  assertRefused(await send(good), 'invalid_request', 'used twice');
  await answerAll();
});

test('H-709 a client that is not registered for the grant or does not authenticate asks no one (OpenID Connect CIBA Core 1.0 §7.1)', async () => {
  const website = await register(attacked, { redirect_uris: ['https://rp.example.com/cb'] });
  assertRefused(await attacked.send(asking({}, website)), 'unauthorized_client', 'not registered');
  const { client_id } = till;
  for (const fields of [{ client_id }, { client_id, client_secret: 'wrong' }, {}]) {
    const answer = await attacked.send(
      form('/backchannel_authentication', { scope: 'openid', login_hint: ADA.username, ...fields }),
    );
    assert.equal(answer.status, 401, answer.body);
  }
});

test('H-710 a message with markup is shown as text, and one that could hide or turn text is 400 invalid_binding_message', async () => {
  for (const binding_message of ['\u202eyap', 'a\r\nb', '\u200b', 'x'.repeat(101)])
    assertRefused(
      await attacked.send(asking({ binding_message })),
      'invalid_binding_message',
      binding_message,
    );
  await ask({ binding_message: '"><script>alert(1)</script>' });
  const browser = browserAt(attacked.program);
  for (const { html, headers } of await windows(browser, 1)) {
    assert.doesNotMatch(html, /<script/);
    assert.ok(html.includes('&lt;script&gt;'));
    assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
  }
  await answerAll();
});

test('H-711 an address for notifications inside the network, or with a wrong scheme is refused at registration (OpenID Connect CIBA Core 1.0 §4)', async () => {
  for (const address of [
    'https://127.0.0.1/x',
    'https://10.0.0.1/x',
    'https://[::1]/x',
    'https://169.254.169.254/latest',
    'http://till.example/x',
    'https://localhost/x',
    'file:///etc/passwd',
  ]) {
    const answer = await attacked.send({
      method: 'POST',
      path: '/clients',
      bearer: attacked.program.masterToken,
      headers: 'Content-Type: application/json\r\n',
      body: JSON.stringify({
        ...TILL,
        backchannel_token_delivery_mode: 'ping',
        backchannel_client_notification_endpoint: address,
      }),
    });
    assertRefused(answer, 'invalid_client_metadata', address);
  }
});

testInvariantsAtTheEnd(attacked);
