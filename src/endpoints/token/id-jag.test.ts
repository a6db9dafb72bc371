import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { ACCESS_TOKEN_TYPE, ID_JAG_TYPE } from '../../spec/token-types.ts';
import { grantTenant, jwtIssuer, present } from '../../testing/assertion-grant.ts';
import { assertError } from '../../testing/exchange.ts';
import { askForIdJag, CHAT, CHAT_API, idJag, WIKI } from '../../testing/id-jag.ts';
import { aPerson } from '../../testing/person.ts';
import { type ClientInformation, ISSUER, START, type TestTenant } from '../../testing/tenant.ts';
import { exchange, exchangeTenant, GATEWAY } from '../../testing/token-exchange.ts';
import { tokensFor } from '../../testing/userinfo.ts';

const tenant = exchangeTenant();
const wiki = await tenant.register(WIKI);
const ada = await aPerson(tenant);

/** A server that takes grants of the identity provider, and its client. */
const chat = grantTenant([jwtIssuer({ uses: ['id-jag'] })]);
const CONNECTOR = {
  grant_types: ['urn:ietf:params:oauth:grant-type:jwt-bearer'],
  scope: 'read write admin',
};
const connector = await chat.register(CONNECTOR);

async function idTokenOf(at: TestTenant = tenant, person = ada, client = wiki): Promise<string> {
  return String((await tokensFor(at, person, client))['id_token']);
}

// proves id-jag-3-1, id-jag-4.3-1, id-jag-4.3.2-1
test('an application gets a grant for another server, about the end-user of its ID token (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.3)', async () => {
  const answered = await askForIdJag(tenant, wiki, await idTokenOf(), { scope: 'chat.read' });
  const { access_token, ...rest } = answered.json;
  assert.deepEqual(rest, {
    token_type: 'N_A',
    expires_in: 300,
    scope: 'chat.read',
    issued_token_type: ID_JAG_TYPE,
  });
  assert.equal(decodeProtectedHeader(String(access_token)).typ, 'oauth-id-jag+jwt');
  const { jti, iat, exp, auth_time, acr, amr, ...claims } = decodeJwt(String(access_token));
  assert.deepEqual(claims, {
    iss: ISSUER,
    sub: ada.account.sub,
    aud: CHAT,
    client_id: 'wiki-at-chat',
    resource: CHAT_API,
    scope: 'chat.read',
  });
  assert.match(jti ?? '', /^[A-Za-z0-9]{16}$/);
  assert.equal((exp ?? 0) - (iat ?? 0), 300);
  assert.ok(auth_time !== undefined && acr !== undefined && amr !== undefined);
});

test('the audit has a row for each grant, and the grant opens nothing here', async () => {
  const { json } = await askForIdJag(tenant, wiki, await idTokenOf());
  const event = (await tenant.storage.audit.page(0, 1000)).find(({ action }) => action === 'token.exchange');
  assert.deepEqual([event?.sub, event?.detail], [ada.account.sub, `identity assertion grant for ${CHAT}`]);
  const jag = String(json['access_token']);
  assert.equal((await tenant.send('userinfo', { bearer: jag })).status, 401);
  assert.deepEqual(await tenant.introspect(jag), { active: false });
  assertError(await askForIdJag(tenant, wiki, jag), 'invalid_request', /is not an ID token/);
});

test('audience, resource and scope are within the policy: 400 invalid_target, invalid_scope', async () => {
  const idToken = await idTokenOf();
  const ask = async (form: Readonly<Record<string, string>>) =>
    await askForIdJag(tenant, wiki, idToken, form);
  assertError(await ask({ audience: 'https://other.example' }), 'invalid_target', /allowed: 'https:\/\/chat/);
  assertError(await ask({ audience: '' }), 'invalid_target', /audience is missing/);
  assertError(await ask({ audience: ISSUER }), 'invalid_target');
  assertError(await ask({ resource: 'https://chat.example/other' }), 'invalid_target');
  assertError(await ask({ scope: 'chat.admin' }), 'invalid_scope', /allowed: 'chat.read chat.write'/);
  assertError(await ask({ scope: 'a "b"' }), 'invalid_scope', /spaces/);
  const { scope } = (await ask({ resource: CHAT_API })).json;
  assert.equal(scope, 'chat.read chat.write', 'without a scope, all of the policy');
});

// proves id-jag-4.3.1-1
test('the ID token was issued to this client, and nothing else asserts an identity: 400 invalid_request', async () => {
  const other = await tenant.register(WIKI);
  assertError(await askForIdJag(tenant, other, await idTokenOf()), 'invalid_request', /another client/);
  const { access_token, id_token } = await tokensFor(tenant, ada, wiki);
  assertError(await askForIdJag(tenant, wiki, String(access_token)), 'invalid_request', /not an ID token/);
  const form = { subject_token_type: ACCESS_TOKEN_TYPE };
  assertError(await askForIdJag(tenant, wiki, String(access_token), form), 'invalid_request', /must be/);
  const idToken = String(id_token);
  assertError(await askForIdJag(tenant, wiki, `${idToken}x`), 'invalid_request', /not an ID token/);
  assertError(await askForIdJag(tenant, wiki, ''), 'invalid_request', /missing/);
  const actor = { actor_token: String(access_token), actor_token_type: ACCESS_TOKEN_TYPE };
  assertError(await askForIdJag(tenant, wiki, idToken, actor), 'invalid_request', /actor_token is not used/);
});

test('a policy without id_jag gives no such grant, and one with id_jag alone exchanges no access token', async () => {
  const without = await tenant.register({ ...WIKI, chancery_token_exchange: { audiences: [GATEWAY] } });
  const idToken = await idTokenOf(tenant, ada, without);
  assertError(await askForIdJag(tenant, without, idToken), 'invalid_target');
  const { access_token } = await tokensFor(tenant, ada, wiki);
  assertError(await exchange(tenant, wiki, String(access_token)), 'invalid_target');
});

test('an ID token that has expired, of a session that has ended, of a disabled account, or of a pairwise client: 400 invalid_request', async () => {
  const world = exchangeTenant();
  const client = await world.register(WIKI);
  const eve = await aPerson(world);
  const late = await idTokenOf(world, eve, client);
  world.clock.advance(301);
  assertError(await askForIdJag(world, client, late), 'invalid_request', /has expired/);
  const signedOut = await idTokenOf(world, eve, client);
  await world.storage.sessions.endAllOf(eve.account.sub);
  assertError(await askForIdJag(world, client, signedOut), 'invalid_request', /session that has ended/);
  const pairwise = await world.register({ ...WIKI, subject_type: 'pairwise' });
  const unknown = await idTokenOf(world, eve, pairwise);
  assertError(await askForIdJag(world, pairwise, unknown), 'invalid_request', /pairwise/);
  const last = await idTokenOf(world, eve, client);
  const account = (await world.storage.accounts.find(eve.account.sub)) ?? assert.fail('no account');
  const disabled = { ...account, version: account.version + 1, disabled_at: world.clock.now() };
  await world.storage.accounts.replace(disabled, { expectedVersion: account.version, endAll: false });
  assertError(await askForIdJag(world, client, last), 'invalid_request', /no account in use/);
});

test('a grant expires no later than its ID token, and no later than token-exchange.id-jag-lifetime', async () => {
  const world = exchangeTenant({ settings: { 'token-exchange.id-jag-lifetime': 60 } });
  const client = await world.register(WIKI);
  const idToken = await idTokenOf(world, await aPerson(world), client);
  assert.equal((await askForIdJag(world, client, idToken)).json['expires_in'], 60);
  world.clock.advance(270);
  assert.equal((await askForIdJag(world, client, idToken)).json['expires_in'], 30);
});

async function assertRefused(
  jwt: string,
  words: RegExp,
  client: ClientInformation = connector,
): Promise<void> {
  assertError(await present(chat, client, jwt), 'invalid_grant', words);
}

// proves id-jag-4.4-1, id-jag-4.4.1-1
test('a grant of a trusted identity provider gives a token for its subject, resource and scope (draft-ietf-oauth-identity-assertion-authz-grant-01 §4.4)', async () => {
  const jwt = idJag(connector.client_id, { resource: CHAT_API, scope: 'read other' });
  const answered = await present(chat, connector, jwt);
  const { access_token, ...rest } = answered.json;
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 600, scope: 'read' });
  const { sub, aud, client_id } = await chat.introspect(String(access_token));
  assert.deepEqual([sub, aud, client_id], ['idp:alice', [CHAT_API], connector.client_id]);
  await assertRefused(jwt, /was used before/);
});

// proves id-jag-4.4.1-2
test('a grant names the client that presents it, and this server alone: 400 invalid_grant', async () => {
  const another = await chat.register(CONNECTOR);
  await assertRefused(idJag(connector.client_id), /for another client/, another);
  await assertRefused(idJag(connector.client_id, { client_id: undefined }), /for another client/);
  for (const aud of ['https://other.example', [ISSUER, 'https://other.example'], `${ISSUER}/token`, []])
    await assertRefused(idJag(connector.client_id, { aud }), /audience|aud|required claim/);
  await assertRefused(idJag(connector.client_id, { jti: undefined }), /required claim/);
  await assertRefused(idJag(connector.client_id, { exp: START - 100 }), /has expired/);
});

test('a grant has its own type: no other assertion of the issuer is one, and it is none of the others', async () => {
  for (const typ of ['JWT', 'authorization-grant+jwt', undefined])
    await assertRefused(idJag(connector.client_id, {}, { typ }), /allowed: oauth-id-jag\+jwt/);
  const grants = grantTenant();
  const client = await grants.register(CONNECTOR);
  assertError(await present(grants, client, idJag(client.client_id)), 'invalid_grant', /typ/);
  const both = grantTenant([jwtIssuer({ uses: ['grant', 'id-jag'] })]);
  const served = await both.register(CONNECTOR);
  assert.equal((await present(both, served, idJag(served.client_id))).status, 200);
});

test('a request may narrow scope and resource of the grant, and never widen them', async () => {
  const grant = { scope: 'read write', resource: [CHAT_API, 'https://b.example'] };
  const narrow = { scope: 'read', resource: 'https://b.example' };
  const answered = await present(chat, connector, idJag(connector.client_id, grant), narrow);
  const { aud, scope } = await chat.introspect(String(answered.json['access_token']));
  assert.deepEqual([aud, scope], [['https://b.example'], 'read']);
  const wide = await present(chat, connector, idJag(connector.client_id, { scope: 'read' }), {
    scope: 'write',
  });
  assertError(wide, 'invalid_scope');
  const elsewhere = { resource: 'https://c.example' };
  assertError(await present(chat, connector, idJag(connector.client_id, grant), elsewhere), 'invalid_target');
  for (const resource of [7, [], [''], ['a b'], {}])
    await assertRefused(idJag(connector.client_id, { resource }), /resource/);
  await assertRefused(idJag(connector.client_id, { scope: ['read'] }), /scope/);
});

// proves id-jag-7.1-1, id-jag-7.3-1
test('a public client may present no grant, and a server takes none of its own: 400 invalid_grant', async () => {
  const open = await chat.register({ ...CONNECTOR, token_endpoint_auth_method: 'none' });
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: idJag(open.client_id),
    client_id: open.client_id,
  };
  assertError(await chat.send('token', { form }), 'invalid_grant', /public client/);
  const self = grantTenant([jwtIssuer({ issuer: ISSUER, uses: ['id-jag'] })]);
  const client = await self.register(CONNECTOR);
  const own = idJag(client.client_id, { iss: ISSUER });
  assertError(await present(self, client, own), 'invalid_grant', /of this server itself/);
});

// proves id-jag-6-1
test('metadata name both roles where they are switched on (draft-ietf-oauth-identity-assertion-authz-grant-01 §6)', async () => {
  const members = async (at: TestTenant): Promise<unknown> => {
    const { json } = await at.send('openid-configuration');
    return [
      json['identity_chaining_requested_token_types_supported'],
      json['authorization_grant_profiles_supported'],
    ];
  };
  assert.deepEqual(await members(tenant), [[ID_JAG_TYPE], undefined]);
  assert.deepEqual(await members(chat), [undefined, ['urn:ietf:params:oauth:grant-profile:id-jag']]);
  assert.deepEqual(await members(grantTenant()), [undefined, undefined]);
});
