import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { DEVICE_GRANT, TELEVISION } from '../../src/testing/device.ts';
import { type Answered, answered } from '../program/administration.ts';
import { type Program, startProgram } from '../program/start.ts';
import { type Answer, attackedProgram, type HostileRequest } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { FORM_TYPE } from './introspection-requests.ts';
import { type RegisteredClient, register } from './registry.ts';
import { accountsBeside, browserAt } from './sign-in-world.ts';

// Before the program whose database it shares.
after(async () => await second.stop());

/** H-600…H-608: devices that guess, hurry and steal, and people who are sent foreign codes. */
const attacked = attackedProgram({}, async (started) => {
  client = await register(started, TELEVISION);
  other = await register(started, TELEVISION);
  second = await startProgram({ folder: started.program.folder });
});
let second: Program;
let client: RegisteredClient;
let other: RegisteredClient;

const form = (path: string, fields: Readonly<Record<string, string>>): HostileRequest => ({
  method: 'POST',
  path,
  headers: FORM_TYPE,
  body: String(new URLSearchParams(fields)),
});

interface Codes {
  readonly device_code: string;
  readonly user_code: string;
}

async function begin(): Promise<Codes> {
  const { json, body } = await attacked.send(form('/device_authorization', { client_id: client.client_id }));
  assert.equal(typeof json['device_code'], 'string', body);
  attacked.secrets.add(String(json['device_code']));
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) };
}

const polling = (device_code: string, { client_id } = client): HostileRequest =>
  form('/token', { grant_type: DEVICE_GRANT, client_id, device_code });

function assertRefused({ status, json, body }: Answer, error: string, what: string): void {
  assert.deepEqual([status, json['error']], [400, error], `${what}: ${body}`);
}

test('H-600 a device code that is cut, extended, of another client, or a user code instead is 400 invalid_grant (RFC 8628 §5.2)', async () => {
  const { device_code, user_code } = await begin();
  for (const code of [
    device_code.slice(1),
    `${device_code}x`,
    user_code,
    '',
    ' ',
    'device_',
    '%00',
    'x'.repeat(5000),
  ])
    assertRefused(
      await attacked.send(polling(code)),
      code === '' ? 'invalid_request' : 'invalid_grant',
      code,
    );
  assertRefused(await attacked.send(polling(device_code, other)), 'invalid_grant', 'another client');
  assertRefused(await attacked.send(polling(device_code)), 'authorization_pending', 'its own client');
});

/** Sends a request to both processes in turn, all at once. */
async function atBoth(
  count: number,
  { path, headers = '', body = '' }: HostileRequest,
): Promise<readonly Answered[]> {
  const [name = '', value = ''] = headers.trim().split(': ');
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { url } = index % 2 === 0 ? attacked.program : second;
      return await answered(
        await fetch(url + path, { method: 'POST', headers: { [name]: value }, body: String(body) }),
      );
    }),
  );
}

test('H-601 two hundred polls at once, at two processes: no tokens, no 5xx, and slow_down is written a few times only (RFC 8628 §3.5)', async () => {
  const { device_code } = await begin();
  const answers = await atBoth(200, polling(device_code));
  assert.deepEqual(
    new Set(answers.map(({ json }) => json['error'])),
    new Set(['authorization_pending', 'slow_down']),
  );
});

test('H-608 a code that its person allowed, in forty polls at once at two processes, gives one token at most, and that one ends (RFC 8628 §3.5, RFC 6749 §4.1.2)', async () => {
  const person = { username: 'ada', password: 'the analytical engine weaves' };
  const accounts = await accountsBeside(attacked.program);
  await accounts.add(person);
  await accounts.close();
  const { device_code, user_code } = await begin();
  const browser = browserAt(attacked.program);
  const page = await browser.open(`${attacked.program.issuer}/device`);
  const signIn = await browser.submit(page, 'continue', { user_code });
  await browser.submit(await browser.submit(signIn, 'sign-in', person), 'allow');
  const answers = await atBoth(40, polling(device_code));
  const tokens = answers.flatMap(({ json }) => json['access_token'] ?? []).map(String);
  assert.ok(tokens.length <= 1, `${tokens.length} tokens`);
  assert.equal(answers.filter(({ json }) => json['error'] === 'invalid_grant').length, 40 - tokens.length);
  for (const token of tokens) {
    attacked.secrets.add(token);
    const { status } = await fetch(`${second.url}/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(status, 401);
  }
});

test('H-602 a thousand guesses of user codes meet the limit, and the right person is told to wait (RFC 8628 §5.1)', async () => {
  const { user_code } = await begin();
  const { issuer } = attacked.program;
  const browser = browserAt(attacked.program);
  const page = await browser.open(`${issuer}/device`);
  const statuses = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const letters = 'BCDFGHJKLMNPQRSTVWXZ';
      const guess = `BBBB-BB${letters[Math.floor(index / 20)] ?? ''}${letters[index % 20] ?? ''}`;
      return (await browser.submit(page, 'continue', { user_code: guess })).status;
    }),
  );
  assert.equal(statuses.filter((status) => status === 200).length, 10, String(statuses));
  assert.equal(statuses.filter((status) => status === 429).length, 50);
  assert.equal((await browser.submit(page, 'continue', { user_code })).status, 429);
});

test('H-603 a form from another site, without its token, or with a token of another browser enters no code (RFC 8628 §5.4)', async () => {
  const { user_code } = await begin();
  const cross = 'Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n';
  const own = `Origin: ${new URL(attacked.program.issuer).origin}\r\nSec-Fetch-Site: same-origin\r\n`;
  for (const headers of [cross, own, `${own}Cookie: chancery-interaction=x\r\n`]) {
    const request = form('/device', { user_code, form_token: 'x' });
    const answer = await attacked.send({ ...request, headers: FORM_TYPE + headers });
    assert.equal(answer.status, 400, headers);
  }
  const browser = browserAt(attacked.program);
  const page = `${attacked.program.issuer}/device`;
  await browser.open(page);
  assert.equal(
    (await browser.visit(page, { user_code, form_token: 'x' })).status,
    400,
    'with its own cookie',
  );
});

test('H-604 an address with a script as code shows an empty field, and no script (RFC 8628 §3.3.1)', async () => {
  const { issuer } = attacked.program;
  const page = await browserAt(attacked.program).open(
    `${issuer}/device?user_code=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`,
  );
  assert.equal(page.status, 200);
  assert.doesNotMatch(page.html, /<script/);
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/);
});

test('H-605 a client that is not registered for the grant, and one without the grant type at registration, get nothing (RFC 8628 §3.1)', async () => {
  const website = await register(attacked, {
    redirect_uris: ['https://rp.example.com/cb'],
    token_endpoint_auth_method: 'none',
  });
  const begun = await attacked.send(form('/device_authorization', { client_id: website.client_id }));
  assertRefused(begun, 'unauthorized_client', 'begin');
  const { device_code } = await begin();
  assertRefused(await attacked.send(polling(device_code, website)), 'unauthorized_client', 'poll');
});

testInvariantsAtTheEnd(attacked);
