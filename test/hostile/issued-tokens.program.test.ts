import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { decodeJwt, UnsecuredJWT } from 'jose';
import { setPassword } from '../../src/sessions/manage-account.ts';
import { ACTOR } from '../../src/testing/end-users.ts';
import { type Fields, formText } from '../program/code-request.ts';
import { type Program, startProgram } from '../program/start.ts';
import {
  type Accounts,
  accountsBeside,
  answered,
  authorizeUrl,
  browserAt,
  CALLBACK,
  type Called,
  call,
  type Registered,
  reached,
  redeem,
  register,
  through,
} from './sign-in-world.ts';

/** Codes, tokens and their look-alikes in the hands of an attacker. */
const ADA = { username: 'ada', password: 'correct horse' };
let program: Program;
let second: Program;
let accounts: Accounts;
let client: Registered;
let resourceServer: Registered;

before(async () => {
  program = await startProgram({ issuerPath: '/c2' });
  second = await startProgram({ issuerPath: '/c2', folder: program.folder });
  accounts = await accountsBeside(program);
  await accounts.add(ADA);
  client = await register(program);
  resourceServer = await register(program, {
    redirect_uris: [],
    response_types: [],
    grant_types: ['client_credentials'],
    scope: `${program.issuer}/token/introspect`,
  });
});

after(async () => {
  await accounts.close();
  await second.stop();
  await program.stop();
});

async function codeFor(change: Fields = {}, as = client): Promise<string> {
  const answer = answered(await through(browserAt(program), authorizeUrl(program, as, change), ADA));
  return answer['code'] ?? assert.fail(JSON.stringify(answer));
}

const introspect = async (token: unknown, at = program): Promise<Called['json']> =>
  (await call(at, '/token/introspect', resourceServer, { token: String(token) })).json;

const error = ({ json }: Called): unknown => json['error'];

test('T-01 one code at two processes at once gives nothing that lasts at either (RFC 6749 §4.1.2)', async () => {
  for (let round = 0; round < 5; round += 1) {
    const code = await codeFor();
    const at = [program, second, program, second];
    const uses = await Promise.all(at.map(async (each) => await redeem(each, client, code)));
    const given = uses.filter(({ status }) => status === 200);
    assert.ok(given.length <= 1);
    for (const { json } of given)
      for (const each of [program, second])
        assert.deepEqual(await introspect(json['access_token'], each), { active: false });
  }
});

test('T-02 code injection: another client, another verifier, another redirection (RFC 9700 §4.5)', async () => {
  const other = await register(program);
  const code = await codeFor();
  for (const [as, change] of [
    [other, {}],
    [client, { code_verifier: 'x'.repeat(43) }],
    [client, { code_verifier: undefined }],
    [client, { redirect_uri: `${CALLBACK}/` }],
  ] as const)
    assert.equal(error(await redeem(program, as, code, change)), 'invalid_grant');
  assert.equal((await redeem(second, client, code)).status, 200);
});

const DOWNGRADES: readonly (readonly [what: string, change: Fields])[] = [
  ['none', { code_challenge: undefined, code_challenge_method: undefined }],
  ['an empty one', { code_challenge: '', code_challenge_method: undefined }],
  ['plain', { code_challenge_method: 'plain' }],
  ['no method, which is plain', { code_challenge_method: undefined }],
  ['a method in lower case', { code_challenge_method: 's256' }],
  ['a short one', { code_challenge: 'abc' }],
];

for (const [what, change] of DOWNGRADES) {
  test(`T-03 PKCE downgrade: a public client cannot send ${what} (RFC 9700 §2.1.1)`, async () => {
    const spa = await register(program, { token_endpoint_auth_method: 'none' });
    const { error: refused, code } = answered(
      await browserAt(program).visit(authorizeUrl(program, spa, change)),
    );
    assert.deepEqual([refused, code], ['invalid_request', undefined]);
  });
}

test('T-04 nothing that is issued passes for anything else (RFC 8725 §3.11)', async () => {
  const { json } = await redeem(program, client, await codeFor());
  const jarm = answered(
    await through(browserAt(program), authorizeUrl(program, client, { response_mode: 'jwt' }), ADA),
  );
  const code = await codeFor();
  const { access_token, refresh_token, id_token } = json as Readonly<Record<string, string>>;
  const { response } = jarm;
  assert.ok(access_token && refresh_token && id_token && response);
  assert.equal((await introspect(access_token))['active'], true);
  for (const token of [refresh_token, id_token, response, code]) {
    assert.deepEqual(await introspect(token), { active: false });
    const userinfo = await fetch(`${program.url}/userinfo`, {
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(userinfo.status, 401);
  }
  for (const token of [access_token, id_token, response, code]) {
    const form = { grant_type: 'refresh_token', refresh_token: token };
    assert.equal(error(await call(program, '/token', client, form)), 'invalid_grant');
  }
  for (const token of [access_token, id_token, response, refresh_token])
    assert.equal(error(await redeem(program, client, token)), 'invalid_grant');
  for (const id_token_hint of [access_token, response, refresh_token, code]) {
    const page = await browserAt(program).visit(authorizeUrl(program, client, { id_token_hint }));
    assert.equal(answered(page)['error'], 'invalid_request');
  }
  assert.equal((await redeem(program, client, code)).status, 200, 'none of these attempts used the code up');
});

test('T-05 clients of pairwise subjects cannot tell by what they get that two end-users are one (OpenID Connect Core 1.0 §8.1, §17.3)', async () => {
  const browser = browserAt(program);
  const seen = [];
  for (const host of ['one.example', 'two.example']) {
    const redirect_uri = `https://${host}/cb`;
    const pairwise = await register(program, { redirect_uris: [redirect_uri], subject_type: 'pairwise' });
    const { code } = answered(await through(browser, authorizeUrl(program, pairwise, { redirect_uri }), ADA));
    const { json } = await redeem(program, pairwise, code, { redirect_uri });
    const claims = decodeJwt(String(json['id_token']));
    const active = await introspect(json['access_token']);
    assert.equal(active['sub'], claims.sub);
    seen.push({ sub: claims.sub, sid: claims['sid'], text: JSON.stringify([claims, active]) });
  }
  const [one, two] = seen;
  assert.ok(one?.sid && two?.sid);
  assert.notEqual(one.sub, two.sub);
  assert.notEqual(one.sid, two.sid);
  const account = await accounts.tenant.accounts.findByLoginName(ADA.username as never);
  const sub = account?.sub ?? assert.fail();
  const [session] = await accounts.tenant.sessions.ofSubject(sub);
  for (const { text } of seen) {
    assert.ok(!text.includes(sub) && !text.includes('"ada"'), text);
    assert.ok(session !== undefined && !text.includes(session.sid), text);
  }
});

test('T-06 errors come in the form that was asked for, signed for their client (JARM §2.1)', async () => {
  const url = authorizeUrl(program, client, { response_mode: 'jwt', prompt: 'none' });
  const { response = '', ...others } = answered(await browserAt(program).visit(url));
  assert.deepEqual(others, {});
  const { iss, aud, exp, ...claims } = decodeJwt(response);
  assert.deepEqual(
    [iss, aud, claims['error'], claims['state']],
    [program.issuer, client.client_id, 'login_required', 'af0ifjsldkj'],
  );
  assert.ok(exp);
});

const OBJECTS: readonly (readonly [what: string, object: () => string])[] = [
  ['unsigned', () => unsigned({ iss: client.client_id, aud: program.issuer })],
  ['that is none', () => 'x.y.z'],
  ['of nothing but dots', () => '....'],
  ['of 40 KB', () => 'x'.repeat(12_000)],
];

function unsigned(claims: Readonly<Record<string, unknown>>): string {
  return new UnsecuredJWT({ ...claims, redirect_uri: 'https://evil.example/', scope: 'openid' }).encode();
}

for (const [what, object] of OBJECTS) {
  test(`T-07 a request object ${what} is refused, and where it wants to go is not looked at (RFC 9101 §10.2)`, async () => {
    const page = await browserAt(program).visit(authorizeUrl(program, client, { request: object() }));
    assert.equal(answered(page)['error'], 'invalid_request_object');
    assert.match(page.location ?? '', /^https:\/\/rp\.example\/cb\?/);
  });
}

test('T-08 a pushed request is its client’s, once, and says what it said (RFC 9126 §2.2, §7.3)', async () => {
  const other = await register(program);
  const whole = Object.fromEntries(new URL(authorizeUrl(program, client)).searchParams);
  const { json } = await call(program, '/par', client, whole);
  const request_uri = String(json['request_uri']);
  const visit = async ({ client_id }: Registered, more = ''): Promise<Readonly<Record<string, string>>> => {
    const query = formText({ client_id, request_uri });
    const page = await through(browserAt(program), `${program.issuer}/authorize?${query}${more}`, ADA);
    return page.location === undefined ? { page: String(page.status) } : answered(page);
  };
  assert.deepEqual(await visit(other), { page: '400' });
  const { code, state } = await visit(
    client,
    '&redirect_uri=https://evil.example/&state=changed&scope=openid%20email',
  );
  assert.equal(state, 'af0ifjsldkj');
  assert.equal((await redeem(program, client, code)).json['scope'], 'openid');
  assert.deepEqual(await visit(client), { page: '400' });
});

test('T-09 another password puts out who knew the old one: session, refresh token, and a code that waits, with offline_access too', async () => {
  const mallory = { username: 'mallory', password: 'tin foil hat' };
  const account = await accounts.add(mallory);
  const browser = browserAt(program);
  const asked = async (): Promise<string | undefined> =>
    answered(
      await through(
        browser,
        authorizeUrl(program, client, { scope: 'openid offline_access', prompt: 'consent' }),
        mallory,
      ),
    )['code'];
  const { json } = await redeem(program, client, await asked());
  const code = await asked();
  await setPassword(accounts.needs, account, 'another and longer', ACTOR);
  assert.equal(error(await redeem(second, client, code)), 'invalid_grant');
  const form = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) };
  assert.equal(error(await call(program, '/token', client, form)), 'invalid_grant');
  assert.deepEqual(await introspect(json['access_token'], second), { active: false });
  const silent = await browser.open(authorizeUrl(program, client, { prompt: 'none' }));
  assert.equal(answered(silent)['error'], 'login_required');
});

const PASSWORDS: readonly (readonly [what: string, sent: string, status: number])[] = [
  ['with NUL behind it', 'username=ada&password=correct+horse%00', 400],
  ['not in UTF-8', 'username=ada&password=%ff', 400],
  ['of a lone surrogate', 'username=ada&password=%ed%a0%80', 400],
  ['of 60 KB', `username=ada&password=${'x'.repeat(60_000)}`, 400],
  ['of 1 MB', `username=ada&password=${'x'.repeat(1 << 20)}`, 413],
  ['for a name of 60 KB', `username=${'a'.repeat(60_000)}&password=x`, 400],
  ['for a name with NUL', 'username=ada%00&password=correct+horse', 400],
  ['given twice', 'username=ada&password=correct+horse&password=x', 400],
];

for (const [what, sent, status] of PASSWORDS) {
  test(`T-10 a password ${what} is no grant: ${status} (RFC 6749 §4.3.2)`, async () => {
    const app = await register(program, { grant_types: ['password'], response_types: [], redirect_uris: [] });
    const credentials = Buffer.from(`${app.client_id}:${app.client_secret}`).toString('base64');
    const answer = await fetch(reached(program, `${program.issuer}/token`), {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: `grant_type=password&${sent}`,
    });
    assert.equal(answer.status, status, await answer.text());
  });
}
