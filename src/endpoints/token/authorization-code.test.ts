import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { type Fields, formText, VERIFIER } from '../../../test/program/code-request.ts';
import { deleteAccount, setPassword } from '../../sessions/manage-account.ts';
import { systemRandom } from '../../system/random.ts';
import { ACTOR, ADA } from '../../testing/end-users.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import {
  answeredTo,
  aPerson,
  browserOf,
  inFrontOf,
  RELYING_PARTY,
  type TestPerson,
} from '../../testing/person.ts';
import {
  CALLBACK,
  type ClientInformation,
  ISSUER,
  type TestTenant,
  testTenant,
} from '../../testing/tenant.ts';

import { authorizationCodeKey, mintAuthorizationCode } from '../../tokens/authorization-code.ts';

const tenant = testTenant();
const client = await tenant.register(RELYING_PARTY);
const ada = await aPerson(tenant);

interface Redemption {
  readonly at?: TestTenant;
  readonly as?: ClientInformation;
  readonly change?: Fields;
}

async function codeFor(asked: Fields = {}, person: TestPerson = ada, as = client): Promise<string> {
  return answeredTo(await person.grant(as, asked))['code'] ?? assert.fail('no code');
}

async function redeem(
  code: string,
  { at = tenant, as = client, change = {} }: Redemption = {},
): Promise<Answer> {
  const form = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
    ...change,
  };
  const basic = [as.client_id, as.client_secret] as const;
  return await at.send(
    'token',
    as.client_secret === ''
      ? { form: formText({ client_id: as.client_id, ...form }) }
      : { basic, form: formText(form) },
  );
}

const text = ({ json }: Answer, member: string): string => {
  const value = json[member];
  assert.ok(typeof value === 'string', `${member} in ${JSON.stringify(json)}`);
  return value;
};

test('H-137 a code is no access token: it is inactive, and still good', async () => {
  const code = await codeFor();
  assert.deepEqual(await tenant.introspect(code), { active: false });
  assert.equal((await redeem(code)).status, 200);
});

// proves rfc7636-4.4-1, openid-core-3.1.3.3-1
test('a code gives an access token, a refresh token and an ID token (RFC 6749 §4.1.4, OpenID Connect Core 1.0 §3.1.3.3)', async () => {
  const answered = await redeem(await codeFor({ scope: 'openid email' }));
  assert.equal(answered.status, 200, answered.body);
  const { access_token, refresh_token, id_token, ...others } = answered.json;
  assert.deepEqual(others, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'openid email',
    refresh_token_expires_in: 2_592_000,
  });
  assert.ok(refresh_token);
  const active = await tenant.introspect(String(access_token));
  assert.equal(active['sub'], ada.account.sub);
  assert.equal(active['username'], 'Ada');
  const { sid, at_hash, ...claims } = decodeJwt(String(id_token));
  const now = tenant.clock.now();
  assert.deepEqual(claims, {
    iss: ISSUER,
    sub: ada.account.sub,
    aud: client.client_id,
    exp: now + 300,
    iat: now,
    auth_time: now,
    nonce: 'n-0S6_WzA2Mj',
    acr: 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
    amr: ['pwd'],
  });
  assert.match(String(sid), /^[A-Za-z0-9]{24}$/);
  assert.ok(at_hash);
});

test('id-token.scope-claims: token-endpoint puts the claims of the scope into ID tokens of the token endpoint, also after a refresh, and into no other (OpenID Connect Core 1.0 §5.4)', async () => {
  const at = testTenant({ settings: { 'id-token.scope-claims': 'token-endpoint' } });
  const as = await at.register({
    ...RELYING_PARTY,
    response_types: ['code', 'code id_token'],
    grant_types: [...RELYING_PARTY.grant_types, 'implicit'],
  });
  const person = await aPerson(at);
  const hybrid = answeredTo(
    await person.grant(as, { scope: 'openid email', response_type: 'code id_token' }),
  );
  assert.equal('email' in decodeJwt(hybrid['id_token'] ?? ''), false);
  const first = await redeem(hybrid['code'] ?? '', { at, as });
  assert.equal(decodeJwt(text(first, 'id_token'))['email'], ADA.claims.email);
  const refreshed = async (scope: string) => {
    const form = { grant_type: 'refresh_token', refresh_token: text(first, 'refresh_token'), scope };
    const answer = await at.send('token', { basic: [as.client_id, as.client_secret], form });
    return decodeJwt(text(answer, 'id_token'))['email'];
  };
  assert.equal(await refreshed('openid email'), ADA.claims.email);
  assert.equal(await refreshed('openid'), undefined);
});

// proves openid-core-3.1.3.3-1
test('without openid there is no ID token (OpenID Connect Core 1.0 §3.1.2.1)', async () => {
  const answered = await redeem(await codeFor({ scope: 'email' }));
  assert.equal(answered.status, 200, answered.body);
  assert.equal('id_token' in answered.json, false);
});

// proves openid-core-11-1
test('a client that is not registered for refresh_token gets none (RFC 6749 §6)', async () => {
  const plain = await tenant.register({ redirect_uris: [CALLBACK] });
  const answered = await redeem(await codeFor({ scope: 'openid offline_access' }, ada, plain), { as: plain });
  assert.equal('refresh_token' in answered.json, false);
  assert.equal(answered.json['scope'], 'openid');
});

// proves rfc6749-4.1.2-1, openid-core-3.1.3.2-1
test('a second use is refused, and ends what the first one gave (RFC 6749 §4.1.2; oidcc-codereuse)', async () => {
  const code = await codeFor();
  const first = await redeem(code);
  assertError(await redeem(code), 'invalid_grant');
  assert.deepEqual(await tenant.introspect(text(first, 'access_token')), { active: false });
  const form = { grant_type: 'refresh_token', refresh_token: text(first, 'refresh_token') };
  assertError(
    await tenant.send('token', { basic: [client.client_id, client.client_secret], form }),
    'invalid_grant',
  );
});

test('a second use half an hour later is noticed too', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const code = await codeFor({}, await aPerson(own), relying);
  const first = await redeem(code, { at: own, as: relying });
  own.clock.advance(120);
  assertError(await redeem(code, { at: own, as: relying }), 'invalid_grant');
  assert.deepEqual(await own.introspect(text(first, 'access_token')), { active: false });
  assertError(await redeem(code, { at: own, as: relying }), 'invalid_grant');
  const ends = (await own.storage.audit.page(0, 100)).filter(({ action }) => action === 'grant.end');
  const { client_id } = relying;
  assert.equal(ends.length, 1, 'recorded once, with the end');
  assert.deepEqual([ends[0]?.actor, ends[0]?.client_id], [`client:${client_id}`, client_id]);
  assert.match(ends[0]?.detail ?? '', /^authorization code used again$/u);
});

test('fifty uses at once give nothing that lasts', async () => {
  const code = await codeFor();
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await redeem(code)));
  const given = answers.filter(({ status }) => status === 200);
  assert.ok(given.length <= 1);
  for (const each of given) {
    assert.deepEqual(await tenant.introspect(text(each, 'access_token')), { active: false });
  }
});

// proves rfc6749-4.1.2-1
test('a code that has expired: invalid_grant, and it is used up (RFC 6749 §4.1.2)', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const code = await codeFor({}, await aPerson(own), relying);
  own.clock.advance(60);
  assertError(await redeem(code, { at: own, as: relying }), 'invalid_grant');
});

const REFUSED: readonly (readonly [title: string, error: string, change: Fields])[] = [
  ['no code', 'invalid_request', { code: undefined }],
  ['an unknown code', 'invalid_grant', { code: 'A'.repeat(43) }],
  ['what is no code', 'invalid_grant', { code: '../../etc' }],
  ['no redirect_uri', 'invalid_request', { redirect_uri: undefined }],
  ['another redirect_uri', 'invalid_grant', { redirect_uri: `${CALLBACK}/` }],
  ['no code_verifier', 'invalid_grant', { code_verifier: undefined }],
  ['another code_verifier', 'invalid_grant', { code_verifier: VERIFIER.replace('d', 'e') }],
  [
    'the challenge as code_verifier',
    'invalid_grant',
    { code_verifier: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
  ],
  ['a resource that was not asked for', 'invalid_target', { resource: 'https://api.example.com/other' }],
];

for (const [title, error, change] of REFUSED) {
  // proves rfc6749-4.1.2-1, rfc6749-4.1.3-1, rfc8707-2.1-1, rfc7636-4.6-1, openid-core-3.1.3.2-1
  test(`${title}: ${error}, and the code is still good for its client (RFC 6749 §4.1.3, RFC 7636 §4.6)`, async () => {
    const code = await codeFor({ resource: 'https://api.example.com/' });
    assertError(await redeem(code, { change }), error);
    assert.equal((await redeem(code)).status, 200);
  });
}

// proves rfc7636-4.6-1
test('a verifier for a code without a challenge: invalid_grant (RFC 9700 §2.1.1, downgrade)', async () => {
  const code = await codeFor({ code_challenge: undefined, code_challenge_method: undefined });
  assertError(await redeem(code), 'invalid_grant');
  assert.equal((await redeem(code, { change: { code_verifier: undefined } })).status, 200);
});

// proves rfc6749-4.1.2-1, openid-core-3.1.3.2-1
test('a code of another client: invalid_grant, and it is not used up (RFC 6749 §4.1.3)', async () => {
  const other = await tenant.register(RELYING_PARTY);
  const code = await codeFor();
  assertError(await redeem(code, { as: other }), 'invalid_grant');
  assert.equal((await redeem(code)).status, 200);
});

// proves rfc6749-4.1.3-1
test('a public client redeems with its verifier, and its refresh tokens are rotated (RFC 7636 §1, RFC 9700 §2.2.2)', async () => {
  const spa = await tenant.register({ ...RELYING_PARTY, token_endpoint_auth_method: 'none' });
  const first = await redeem(await codeFor({}, ada, spa), { as: spa });
  assert.equal(first.status, 200, first.body);
  const refresh_token = text(first, 'refresh_token');
  const form = { grant_type: 'refresh_token', refresh_token, client_id: spa.client_id };
  const second = await tenant.send('token', { form });
  assert.notEqual(text(second, 'refresh_token'), refresh_token);
});

// proves rfc8707-2.1-1
test('the audience is what was asked for, or less of it (RFC 8707 §2.2)', async () => {
  const [one, two] = ['https://api.example.com/one', 'https://api.example.com/two'];
  const asked = { resource: one };
  const whole = await redeem(await codeFor(asked));
  assert.deepEqual((await tenant.introspect(text(whole, 'access_token')))['aud'], [one]);
  const free = await redeem(await codeFor(), { change: { resource: two } });
  assert.deepEqual((await tenant.introspect(text(free, 'access_token')))['aud'], [two]);
});

// proves openid-core-12.2-1
test('a refreshed ID token is about the same sign-in, without a nonce (OpenID Connect Core 1.0 §12.2)', async () => {
  const first = await redeem(await codeFor());
  const before = decodeJwt(text(first, 'id_token'));
  tenant.clock.advance(10);
  const form = { grant_type: 'refresh_token', refresh_token: text(first, 'refresh_token') };
  const second = await tenant.send('token', { basic: [client.client_id, client.client_secret], form });
  const { iat, at_hash, ...after } = decodeJwt(text(second, 'id_token'));
  for (const name of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'acr'])
    assert.deepEqual(after[name], before[name], name);
  assert.equal('nonce' in after, false);
  assert.equal(iat, (before.iat ?? 0) + 10);
  assert.notEqual(at_hash, before['at_hash']);
});

test('a refresh for less than openid gives no ID token (OpenID Connect Core 1.0 §12.1)', async () => {
  const first = await redeem(await codeFor({ scope: 'openid email' }));
  const form = { grant_type: 'refresh_token', refresh_token: text(first, 'refresh_token'), scope: 'email' };
  const second = await tenant.send('token', { basic: [client.client_id, client.client_secret], form });
  assert.equal(second.json['scope'], 'email');
  assert.equal('id_token' in second.json, false);
});

// proves openid-core-11-1
test('when the session ends, what it gave ends with it; offline_access goes on (OpenID Connect Back-Channel Logout 1.0 §2.7)', async () => {
  const person = inFrontOf(browserOf(tenant));
  const asked = { scope: 'openid offline_access' };
  const online = await redeem(answeredTo(await person.grant(client))['code'] ?? '');
  const offline = await redeem(answeredTo(await person.grant(client, asked))['code'] ?? '');
  const pending = answeredTo(await person.grant(client))['code'] ?? '';
  const { sid } = decodeJwt(text(online, 'id_token'));
  const session = await tenant.storage.sessions.findBySid(sid as never);
  await tenant.storage.sessions.end(session?.key as never);
  const refreshed = async ({ json }: Answer): Promise<number> => {
    const form = { grant_type: 'refresh_token', refresh_token: String(json['refresh_token']) };
    return (await tenant.send('token', { basic: [client.client_id, client.client_secret], form })).status;
  };
  assert.equal(await refreshed(online), 400);
  assert.deepEqual(await tenant.introspect(text(online, 'access_token')), { active: false });
  assert.equal(await refreshed(offline), 200);
  assertError(await redeem(pending), 'invalid_grant');
});

test('a code of a session that has ended gives no offline_access, at any time and for any cause of the end', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const asked = { scope: 'openid offline_access' };
  const [before, meanwhile] = [await codeFor(asked, person, relying), await codeFor(asked, person, relying)];
  const changed = async (): Promise<void> =>
    void (await setPassword(person.accounts, person.account, 'new and long', ACTOR));
  own.watch.before('authorizationCodes.redeem', changed);
  for (const code of [meanwhile, before]) {
    assertError(await redeem(code, { at: own, as: relying }), 'invalid_grant');
    assert.equal(await own.unwatched.grants.endAllOf(person.account.sub), 0);
  }
});

test('an ID token that cannot be encrypted leaves the code good, and gives no token', async () => {
  const own = testTenant();
  const jwks_uri = 'https://rp.example/jwks';
  const encrypted = { jwks_uri, id_token_encrypted_response_alg: 'RSA-OAEP' };
  const relying = await own.register({ ...RELYING_PARTY, ...encrypted });
  const code = await codeFor({}, await aPerson(own), relying);
  own.watch.begin();
  for (let time = 0; time < 2; time += 1)
    assertError(await redeem(code, { at: own, as: relying }), 'invalid_request');
  assert.equal(own.watch.calls.includes('authorizationCodes.redeem'), false);
});

test('the account is gone between code and token: invalid_grant', async () => {
  const own = testTenant();
  const relying = await own.register(RELYING_PARTY);
  const person = await aPerson(own);
  const code = await codeFor({}, person, relying);
  await deleteAccount(person.accounts, person.account, ACTOR);
  assertError(await redeem(code, { at: own, as: relying }), 'invalid_grant');
});

test('a client of pairwise subjects sees no other, in ID token and access token (OpenID Connect Core 1.0 §8)', async () => {
  const pairwise = await tenant.register({ ...RELYING_PARTY, subject_type: 'pairwise' });
  const answered = await redeem(await codeFor({}, ada, pairwise), { as: pairwise });
  const { sub } = decodeJwt(text(answered, 'id_token'));
  assert.notEqual(sub, ada.account.sub);
  const active = await tenant.introspect(text(answered, 'access_token'));
  assert.equal(active['sub'], sub);
  assert.equal('username' in active, false);
});

test('a code that was issued under another name of the tenant: invalid_grant (OpenID Connect Core 1.0 §3.1.3.7)', async () => {
  const kept = await tenant.storage.authorizationCodes.find(
    authorizationCodeKey(await codeFor()) ?? assert.fail('no key'),
  );
  assert.ok(kept !== undefined);
  const issuedUnder = async (issuer: string): Promise<string> => {
    const content = JSON.stringify({ ...JSON.parse(kept.content), issuer });
    const needs = { clock: tenant.clock, random: systemRandom };
    const { code, stored } = mintAuthorizationCode(needs, { ...kept, content }, 60);
    await tenant.storage.authorizationCodes.issue(stored);
    return code;
  };
  assertError(await redeem(await issuedUnder('https://alias.example')), 'invalid_grant');
  assert.equal((await redeem(await issuedUnder(ISSUER))).status, 200);
});
