import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from '../../spec/token-types.ts';
import { grantClaims, grantJwt, IDP_KEY, jwtIssuer } from '../../testing/assertion-grant.ts';
import { dpopKey } from '../../testing/dpop.ts';
import { type Answer, assertError } from '../../testing/exchange.ts';
import { signedJwt, testKey } from '../../testing/jwt.ts';
import { type ClientInformation, ISSUER, START } from '../../testing/tenant.ts';
import { exchange, exchanger, exchangeTenant, LEDGER, ownToken } from '../../testing/token-exchange.ts';

const IDP = 'https://idp.example';
const issuer = jwtIssuer({
  uses: ['subject-token', 'actor-token'],
  claims: { email: 'mail', groups: 'roles' },
});
const tenant = exchangeTenant({ settings: { 'assertion-grants.issuers': [issuer] } });
const gateway = await exchanger(tenant, { subject_issuers: [IDP], actors: ['idp:robot'] });

const asJwt = { subject_token_type: JWT_TYPE };
const exchangeJwt = async (
  jwt: string,
  client: ClientInformation = gateway,
  form: Readonly<Record<string, string>> = {},
): Promise<Answer> => await exchange(tenant, client, jwt, { ...asJwt, ...form });

async function saidOf(answered: Answer): Promise<Readonly<Record<string, unknown>>> {
  assert.equal(answered.status, 200, answered.body);
  return await tenant.introspect(String(answered.json['access_token']));
}

// proves rfc8693-2.1-7
test('a JWT of a trusted issuer is exchanged for a token about its subject, by our name for it, with the claims that the settings map', async () => {
  const jwt = grantJwt({ mail: 'alice@example.org', roles: ['staff'], secret: 'x', scope: 'read admin' });
  const { sub, scope, email, groups, secret, aud, exp, act } = await saidOf(await exchangeJwt(jwt));
  assert.deepEqual([sub, scope, email, groups], ['idp:alice', 'read', 'alice@example.org', ['staff']]);
  assert.deepEqual([secret, aud, exp], [undefined, [LEDGER], START + 60]);
  assert.deepEqual(act, { sub: gateway.client_id, iss: ISSUER });
  assert.equal((await exchangeJwt(jwt)).status, 200, 'a token is exchanged until it expires');
});

test('without a scope of its own a JWT has what its issuer may grant, and never more than that', async () => {
  assert.equal((await saidOf(await exchangeJwt(grantJwt())))['scope'], 'read write');
  for (const scope of ['admin', '', 7])
    assertError(await exchangeJwt(grantJwt({ scope })), 'invalid_request', /no scope value/);
  assertError(await exchangeJwt(grantJwt(), gateway, { scope: 'admin' }), 'invalid_scope');
});

test('a policy names the other issuers, none by default: 400 invalid_request', async () => {
  const without = await exchanger(tenant);
  assertError(await exchangeJwt(grantJwt(), without), 'invalid_request', /issuer whose tokens/);
});

test('an issuer that is trusted for grants alone is no issuer of subject tokens; one that the settings do not have neither', async () => {
  const world = exchangeTenant({ settings: { 'assertion-grants.issuers': [jwtIssuer()] } });
  const client = await exchanger(world, { subject_issuers: [IDP] });
  assertError(await exchange(world, client, grantJwt(), asJwt), 'invalid_request', /is not valid here/);
  const stranger = grantJwt({ iss: 'https://stranger.example' });
  assertError(await exchangeJwt(stranger), 'invalid_request', /is not valid here/);
  const subjectsOnly = jwtIssuer({ uses: ['subject-token'] });
  const narrow = exchangeTenant({ settings: { 'assertion-grants.issuers': [subjectsOnly] } });
  const service = await exchanger(narrow, { subject_issuers: [IDP], actors: ['idp:robot'] });
  const actor = { actor_token: grantJwt({ sub: 'robot' }), actor_token_type: JWT_TYPE };
  const answered = await exchange(narrow, service, grantJwt(), { ...asJwt, ...actor });
  assertError(answered, 'invalid_request', /^actor_token is not valid here/);
});

test('a JWT with a wrong key, audience, type, time or subject: 400 invalid_request, which says why (RFC 8693 §2.2.2)', async () => {
  const { sub: _, ...anonymous } = grantClaims() as { readonly sub: string };
  const rows: readonly (readonly [string, RegExp])[] = [
    [signedJwt(testKey('ES256', 'idp'), grantClaims()), /invalid signature/],
    [grantJwt({ aud: 'https://other.example' }), /another audience/],
    [grantJwt({ exp: START - 120 }), /has expired/],
    [grantJwt({ exp: START + 86_400 * 3 }), /valid for too long/],
    [grantJwt({ sub: '' }), /names no subject/],
    [signedJwt(IDP_KEY, anonymous), /lacks a required claim/],
    [grantJwt({}, { typ: 'authorization-grant+jwt' }), /typ that is not allowed, allowed: JWT, at\+jwt/],
    [grantJwt({}, { typ: 'oauth-id-jag+jwt' }), /typ/],
    [grantJwt({ act: 'x' }), /act that is not an object/],
    [grantJwt({ act: {} }), /act without a sub/],
    [grantJwt({ may_act: [] }), /may_act that is not an object/],
  ];
  for (const [jwt, words] of rows) assertError(await exchangeJwt(jwt), 'invalid_request', words);
  const asAccessToken = { subject_token_type: ACCESS_TOKEN_TYPE };
  assertError(await exchangeJwt(grantJwt(), gateway, asAccessToken), 'invalid_request', /is not valid here/);
});

// proves rfc8693-4.4-1
test('a JWT with may_act is exchanged by the party that it names alone, and the new token keeps the limit (RFC 8693 §4.4)', async () => {
  const named = { sub: gateway.client_id, iss: ISSUER };
  const rows: readonly (readonly [object, boolean])[] = [
    [{ sub: gateway.client_id }, true],
    [named, true],
    [{ client_id: gateway.client_id }, true],
    [{ sub: 'another' }, false],
    [{ ...named, iss: 'https://stranger.example' }, false],
    [{ ...named, email: 'x' }, false],
    [{}, false],
  ];
  for (const [may_act, permitted] of rows) {
    const answered = await exchangeJwt(grantJwt({ may_act }));
    if (!permitted) assertError(answered, 'invalid_request', /may_act/);
    else assert.deepEqual((await saidOf(answered))['may_act'], may_act);
  }
  const jwt = grantJwt({ may_act: { sub: 'idp:robot', iss: IDP } });
  assertError(await exchangeJwt(jwt), 'invalid_request', /may_act/);
  const actor = { actor_token: grantJwt({ sub: 'robot' }), actor_token_type: JWT_TYPE };
  assert.deepEqual((await saidOf(await exchangeJwt(jwt, gateway, actor)))['act'], {
    sub: 'idp:robot',
    iss: IDP,
  });
});

test('an actor in a JWT stays nested, and has the name of its issuer: it cannot pass for one of this server', async () => {
  const jwt = grantJwt({ act: { sub: gateway.client_id, iss: ISSUER } });
  assert.deepEqual((await saidOf(await exchangeJwt(jwt)))['act'], {
    sub: gateway.client_id,
    iss: ISSUER,
    act: { sub: gateway.client_id, iss: IDP },
  });
});

test('a JWT that is bound to a key needs the proof of that key, and one with an unknown cnf is refused (RFC 7800 §3.1)', async () => {
  const key = dpopKey();
  const jwt = grantJwt({ cnf: { jkt: key.jkt } });
  assertError(await exchangeJwt(jwt), 'invalid_request', /bound to a key/);
  assertError(await exchangeJwt(grantJwt({ cnf: { kid: 'x' } })), 'invalid_request', /bound to a key/);
  const dpop = key.proof({ method: 'POST', address: `${ISSUER}/token`, now: tenant.clock.now() });
  const answered = await exchange(tenant, gateway, jwt, asJwt, { headers: { dpop } });
  assert.equal(answered.json['token_type'], 'DPoP', answered.body);
});

test('a token for a JWT ends with the token of the actor, and with the client that exchanged it', async () => {
  const own = await exchanger(tenant, { subject_issuers: [IDP] });
  const actor_token = await ownToken(tenant, own);
  const form = { actor_token, actor_token_type: ACCESS_TOKEN_TYPE };
  const answered = await exchangeJwt(grantJwt(), own, form);
  assert.equal((await saidOf(answered))['active'], true);
  const basic = [own.client_id, own.client_secret] as const;
  await tenant.send('revocation', { basic, form: { token: actor_token } });
  assert.deepEqual(await saidOf(answered), { active: false });
});
