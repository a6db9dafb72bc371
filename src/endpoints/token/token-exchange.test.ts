import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt } from 'jose';
import { TOKEN_EXCHANGE_GRANT } from '../../spec/grant-types.ts';
import { ACCESS_TOKEN_TYPE, JWT_TYPE } from '../../spec/token-types.ts';
import { assertError } from '../../testing/exchange.ts';
import { aPerson } from '../../testing/person.ts';
import { MASTER, START, testTenant } from '../../testing/tenant.ts';
import {
  APPLICATION,
  exchange,
  exchanged,
  exchanger,
  exchangeTenant,
  GATEWAY,
  LEDGER,
  ownToken,
  tokenOfPerson,
  tokenOfService,
} from '../../testing/token-exchange.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const tenant = exchangeTenant();
const gateway = await exchanger(tenant);
const application = await tenant.register(APPLICATION);
const ada = await aPerson(tenant);

// proves rfc8693-2.1-1, rfc8693-2.1-5, rfc8693-2.2.1-1, rfc8693-3-1, rfc8693-4.2-1
test('a service gets a token for the next service, about the same end-user, with what scope its policy and the token have in common (RFC 8693 §2)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const answered = await exchange(tenant, gateway, subject);
  const { access_token, ...rest } = answered.json;
  assert.deepEqual(rest, {
    token_type: 'Bearer',
    expires_in: 600,
    scope: 'read write',
    issued_token_type: ACCESS_TOKEN_TYPE,
  });
  const said = await tenant.introspect(String(access_token));
  const { sub, aud, client_id, username, act } = said;
  assert.deepEqual([sub, aud, client_id, username], [ada.account.sub, [LEDGER], gateway.client_id, 'Ada']);
  assert.deepEqual(act, { sub: gateway.client_id, iss: 'https://op.example.com/c2' });
  assert.equal(said['auth_time'], (await tenant.introspect(subject))['auth_time']);
});

test('the audit has a row with the client, the end-user, the actor and the audience; the metric counts it', async () => {
  await exchanged(tenant, gateway, await tokenOfPerson(tenant, ada, application));
  const event = (await tenant.storage.audit.page(0, 1000)).find(({ action }) => action === 'token.exchange');
  assert.equal(event?.actor, `client:${gateway.client_id}`);
  assert.equal(event.sub, ada.account.sub);
  assert.equal(event.detail, `token of ${application.client_id}, actor ${gateway.client_id}, for ${LEDGER}`);
});

// proves rfc8693-2.1-3
test('scope never widens: neither beyond the subject token, nor beyond the policy, nor beyond the registration (RFC 8693 §2.1)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application, { scope: 'openid read' });
  for (const scope of ['write', 'read write', 'admin', 'openid', 'read openid'])
    assertError(await exchange(tenant, gateway, subject, { scope }), 'invalid_scope', /allowed: 'read'/);
  assert.equal((await exchange(tenant, gateway, subject)).json['scope'], 'read');
  const narrow = await exchanger(tenant, { scope: 'write' });
  assertError(await exchange(tenant, narrow, subject), 'invalid_scope', /none of the values.*openid read/);
  assertError(await exchange(tenant, gateway, subject, { scope: 'read "x"' }), 'invalid_scope');
});

// proves rfc8693-2.1-2, rfc8693-2.2.2-2
test('audience and resource must be in the policy; without them a policy with one audience decides (RFC 8693 §2.1; RFC 8707 §2)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const wide = await exchanger(tenant, { audiences: [LEDGER, 'billing', 'https://b.example'] });
  assertError(await exchange(tenant, wide, subject), 'invalid_target', /is missing, allowed: .*billing/);
  for (const form of [{ audience: 'other' }, { resource: 'https://other.example' }, { resource: 'billing' }])
    assertError(await exchange(tenant, wide, subject, form), 'invalid_target');
  const form = new URLSearchParams({
    grant_type: TOKEN_EXCHANGE_GRANT,
    subject_token: subject,
    subject_token_type: ACCESS_TOKEN_TYPE,
    resource: LEDGER,
  });
  form.append('audience', 'billing');
  form.append('audience', 'https://b.example');
  const answered = await tenant.send('token', {
    basic: [wide.client_id, wide.client_secret],
    form: form.toString(),
  });
  const { aud } = await tenant.introspect(String(answered.json['access_token']));
  assert.deepEqual(aud, ['billing', 'https://b.example', LEDGER]);
});

test('a token may be exchanged by its own client and by one that it is for, and by no other: 400 invalid_request', async () => {
  const own = await ownToken(tenant, gateway);
  assert.equal((await exchange(tenant, gateway, own)).status, 200);
  const elsewhere = await tokenOfPerson(tenant, ada, application, { resource: 'https://other.example' });
  assertError(await exchange(tenant, gateway, elsewhere), 'invalid_request', /is not for this one/);
  const forAll = await tokenOfService(tenant, { chancery_access_token_audience: [] });
  assert.equal((await exchange(tenant, gateway, forAll)).status, 200, 'its resource is the gateway');
  const byId = await tokenOfPerson(tenant, ada, application, { resource: 'urn:x' });
  const named = await exchanger(tenant, {}, { resource_identifiers: ['urn:x'] });
  assert.equal((await exchange(tenant, named, byId)).status, 200);
});

test('a policy may name the clients whose tokens it is about: those of others are 400 invalid_request', async () => {
  const picky = await exchanger(tenant, { subject_clients: [application.client_id] });
  const subject = await tokenOfPerson(tenant, ada, application);
  assert.equal((await exchange(tenant, picky, subject)).status, 200);
  assertError(
    await exchange(tenant, picky, await tokenOfService(tenant)),
    'invalid_request',
    /may not exchange/,
  );
});

// proves rfc8693-2.1-7, rfc8693-2.2.2-1
test('a token that is unknown, forged, expired or revoked, a refresh token and an ID token: 400 invalid_request (RFC 8693 §2.2.2)', async () => {
  const world = exchangeTenant();
  const service = await exchanger(world);
  const app = await world.register({ ...APPLICATION, scope: 'openid read offline_access' });
  const asked = { scope: 'openid read offline_access', resource: GATEWAY };
  const tokens = await tokensFor(world, await aPerson(world), app, asked);
  const subject = String(tokens['access_token']);
  const { refresh_token, id_token } = tokens;
  assert.ok(typeof refresh_token === 'string' && typeof id_token === 'string');
  const forged = ['x', `${subject}x`, subject.slice(1), 'eyJhbGciOiJub25lIn0.e30.', '0'.repeat(9000)];
  for (const token of [...forged, refresh_token, id_token])
    assertError(await exchange(world, service, token), 'invalid_request', /is not valid here/);
  const asJwt = { subject_token_type: JWT_TYPE };
  assertError(await exchange(world, service, subject, asJwt), 'invalid_request', /is not valid here/);
  assertError(await exchange(world, service, id_token, asJwt), 'invalid_request', /is not valid here/);
  const initial = await world.initialToken('client-reg');
  assertError(await exchange(world, service, initial), 'invalid_request', /is not valid here/);
  world.clock.advance(601);
  assertError(await exchange(world, service, subject), 'invalid_request', /is not valid here/);
});

// proves rfc8693-2.1-5
test('a request without subject_token or its type, or with a type that is not exchanged: 400 invalid_request (RFC 8693 §2.1)', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  assertError(await exchange(tenant, gateway, ''), 'invalid_request', /^subject_token is missing$/);
  for (const type of [
    '',
    'access_token',
    'urn:ietf:params:oauth:token-type:refresh_token',
    'urn:ietf:params:oauth:token-type:saml2',
  ])
    assertError(
      await exchange(tenant, gateway, subject, { subject_token_type: type }),
      'invalid_request',
      /^subject_token_type /,
    );
});

// proves rfc8693-2.1-4, rfc8693-2.2.1-2
test('requested_token_type jwt gives a self-contained token; refresh tokens and ID tokens are not issued: 400 invalid_request', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const answered = await exchange(tenant, gateway, subject, { requested_token_type: JWT_TYPE });
  assert.equal(answered.json['issued_token_type'], JWT_TYPE);
  const claims = decodeJwt(String(answered.json['access_token']));
  assert.deepEqual(
    [claims.aud, claims.sub, claims['client_id']],
    [LEDGER, ada.account.sub, gateway.client_id],
  );
  assert.deepEqual(claims['act'], { sub: gateway.client_id, iss: claims.iss });
  assert.equal(answered.json['refresh_token'], undefined);
  for (const type of ['refresh_token', 'id_token', 'saml2']) {
    const requested_token_type = `urn:ietf:params:oauth:token-type:${type}`;
    assertError(await exchange(tenant, gateway, subject, { requested_token_type }), 'invalid_request');
  }
});

test('a self-contained token is exchanged as one that is an identifier, under both of its types', async () => {
  const world = exchangeTenant({ settings: { 'access-token.format': 'self-contained' } });
  const service = await exchanger(world);
  const subject = await tokenOfService(world);
  for (const subject_token_type of [ACCESS_TOKEN_TYPE, JWT_TYPE])
    assert.equal((await exchange(world, service, subject, { subject_token_type })).status, 200);
});

test('the new token expires no later than the subject token, whatever lifetime the policy has', async () => {
  const world = exchangeTenant();
  const long = await exchanger(world, { lifetime: 86_400 });
  const short = await exchanger(world, { lifetime: 60 });
  const subject = await tokenOfService(world);
  world.clock.advance(400);
  assert.equal((await exchange(world, long, subject)).json['expires_in'], 200);
  assert.equal((await exchange(world, short, subject)).json['expires_in'], 60);
  const token = await exchanged(world, long, subject);
  assert.equal((await world.introspect(token))['exp'], START + 600);
});

test('a client without a policy, a public client, and one that is not registered for the grant: 400 unauthorized_client', async () => {
  const subject = await tokenOfPerson(tenant, ada, application);
  const without = await tenant.register({ grant_types: [TOKEN_EXCHANGE_GRANT], scope: 'read' });
  assertError(await exchange(tenant, without, subject), 'unauthorized_client', /no policy/);
  assertError(await exchange(tenant, application, subject), 'unauthorized_client', /not registered/);
  const refused = await tenant.send('client-registration', {
    bearer: MASTER,
    json: { grant_types: [TOKEN_EXCHANGE_GRANT], token_endpoint_auth_method: 'none' },
  });
  assertError(refused, 'invalid_client_metadata', /token_endpoint_auth_method must not be none/);
});

test('policies of the settings hold for the clients that they name; the registration of a client goes before them', async () => {
  const policies = [
    { clients: ['batch', 'other'], audiences: [LEDGER], scope: ['read'], impersonation: true },
  ];
  const world = exchangeTenant({ settings: { 'token-exchange.policies': policies } });
  const metadata = { chancery_token_exchange: undefined, preferred_client_id: 'batch' };
  const batch = await exchanger(world, {}, metadata);
  const answered = await exchange(world, batch, await tokenOfService(world));
  assert.equal(answered.json['scope'], 'read', answered.body);
  const other = await exchanger(world, { scope: 'write' }, { preferred_client_id: 'other' });
  assert.equal((await exchange(world, other, await tokenOfService(world))).json['scope'], 'write');
});

test('the grant is off by default: 400 unsupported_grant_type, registration drops it, and discovery does not list it', async () => {
  const off = testTenant();
  const answered = await off.register({ grant_types: ['client_credentials', TOKEN_EXCHANGE_GRANT] });
  assert.deepEqual(answered.members['grant_types'], ['client_credentials']);
  assertError(await exchange(off, answered, 'x'), 'unsupported_grant_type');
  const listed = async (of: typeof off): Promise<unknown> =>
    (await of.send('openid-configuration')).json['grant_types_supported'];
  assert.doesNotMatch(String(await listed(off)), /token-exchange/);
  assert.match(String(await listed(tenant)), /token-exchange/);
});

test('a client with pairwise subjects learns its own name of the end-user, and no user name (OpenID Connect Core 1.0 §8)', async () => {
  const redirect_uris = ['https://pairwise.example/cb'];
  const pairwise = await exchanger(tenant, {}, { subject_type: 'pairwise', redirect_uris });
  const token = await exchanged(tenant, pairwise, await tokenOfPerson(tenant, ada, application));
  const { sub, username } = await tenant.introspect(token);
  assert.notEqual(sub, ada.account.sub);
  assert.equal(username, undefined);
  const again = await exchanger(tenant, { audiences: [LEDGER] }, { resource_identifiers: [LEDGER] });
  const second = await exchanged(tenant, again, token);
  assert.equal(
    (await tenant.introspect(second))['sub'],
    ada.account.sub,
    'the account behind the pairwise name',
  );
});

test('scope of the administration and offline_access are never exchanged', async () => {
  const world = exchangeTenant();
  const service = await exchanger(world, { scope: 'read offline_access admin:keys' });
  const subject = await world.authorize({
    client_id: service.client_id,
    sub: 'bob',
    scope: ['read', 'offline_access'],
  });
  assert.equal((await exchange(world, service, subject)).json['scope'], 'read');
  assertError(await exchange(world, service, subject, { scope: 'offline_access' }), 'invalid_scope');
  assertError(await exchange(world, service, subject, { scope: 'admin:keys' }), 'invalid_scope');
});

test('UserInfo with an exchanged token has the claims of its scope, and none that the application asked for by name', async () => {
  const service = await exchanger(tenant, { scope: 'openid profile', audiences: [GATEWAY] });
  const claims = JSON.stringify({ userinfo: { email: null } });
  const subject = await tokenOfPerson(tenant, ada, application, { scope: 'openid profile', claims });
  assert.ok('email' in (await tenant.send('userinfo', { bearer: subject })).json);
  const bearer = await exchanged(tenant, service, subject);
  const { json } = await tenant.send('userinfo', { bearer });
  assert.equal(json['sub'], ada.account.sub);
  assert.equal('email' in json, false);
});
