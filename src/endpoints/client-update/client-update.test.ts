import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUncached } from '../../testing/exchange.ts';
import {
  CALLBACK,
  type ClientInformation,
  clientInformationOf,
  ISSUER,
  MASTER,
  SERVICE,
  START,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';

async function update(
  tenant: TestTenant,
  client: ClientInformation,
  json: object,
): Promise<ClientInformation> {
  const request = { bearer: client.registration_access_token, id: client.client_id, json };
  const answered = await tenant.send('client-update', request);
  assert.equal(answered.status, 200, answered.body);
  return clientInformationOf(answered);
}

// proves rfc7592-2.2-1
test('200: PUT replaces the whole registration: what is not sent is gone, defaults apply again (decision 9; RFC 7592 §2.2)', async () => {
  const tenant = testTenant();
  const client = await tenant.register({
    ...WEB_CLIENT,
    client_name: 'Old',
    contacts: ['a@b.example'],
    application_type: 'native',
  });
  const other = 'https://client.example/other';
  const updated = await update(tenant, client, { redirect_uris: [other] });
  assert.deepEqual(updated.members, {
    client_id: client.client_id,
    client_id_issued_at: START,
    client_secret: updated.client_secret,
    client_secret_expires_at: 0,
    registration_access_token: updated.registration_access_token,
    registration_client_uri: `${ISSUER}/clients/${client.client_id}`,
    redirect_uris: [other],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    application_type: 'web',
    token_endpoint_auth_method: 'client_secret_basic',
    id_token_signed_response_alg: 'RS256',
    subject_type: 'public',
  });
});

// proves rfc7592-2.2-7
test('200: PUT answers with a new registration token and a new secret, and is never cached (interface)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  const answered = await tenant.send('client-update', {
    bearer: MASTER,
    id: client.client_id,
    json: WEB_CLIENT,
  });
  const updated = clientInformationOf(answered);
  assertUncached(answered);
  assert.equal(answered.headers['content-type'], 'application/json');
  assert.match(updated.registration_access_token, /^[A-Za-z0-9]{43}$/);
  assert.match(updated.client_secret, /^[A-Za-z0-9]{43}$/);
  assert.notEqual(updated.registration_access_token, client.registration_access_token);
  assert.notEqual(updated.client_secret, client.client_secret);
});

test('200: the old registration token dies at once, the new one works (decision 9)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  const updated = await update(tenant, client, WEB_CLIENT);
  const id = client.client_id;
  assert.equal(
    (await tenant.send('client-read', { bearer: client.registration_access_token, id })).status,
    401,
  );
  assert.equal(
    (await tenant.send('client-read', { bearer: updated.registration_access_token, id })).status,
    200,
  );
});

const form = { grant_type: 'client_credentials' };

async function tokenStatus(
  tenant: TestTenant,
  { client_id, client_secret }: ClientInformation,
): Promise<number> {
  return (await tenant.send('token', { basic: [client_id, client_secret], form })).status;
}

test('200: the old secret dies at once where there is no grace (decision 9)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const updated = await update(tenant, client, SERVICE);
  assert.equal(await tokenStatus(tenant, client), 401);
  assert.equal(await tokenStatus(tenant, updated), 200);
});

test('200: registration.previous-secret-grace keeps the old secret for that number of seconds (decision 9)', async () => {
  const tenant = testTenant({ settings: { 'registration.previous-secret-grace': 60 } });
  const client = await tenant.register(SERVICE);
  const updated = await update(tenant, client, SERVICE);
  tenant.clock.advance(59);
  assert.deepEqual([await tokenStatus(tenant, client), await tokenStatus(tenant, updated)], [200, 200]);
  tenant.clock.advance(1);
  assert.deepEqual([await tokenStatus(tenant, client), await tokenStatus(tenant, updated)], [401, 200]);
});

test('200: the grace never makes a secret live longer than it would have (decision 9)', async () => {
  const tenant = testTenant({
    settings: { 'registration.previous-secret-grace': 60, 'registration.client-secret-lifetime': 30 },
  });
  const client = await tenant.register(SERVICE);
  await update(tenant, client, SERVICE);
  tenant.clock.advance(29);
  assert.equal(await tokenStatus(tenant, client), 200);
  tenant.clock.advance(1);
  assert.equal(await tokenStatus(tenant, client), 401);
});

test('200: a second update within the grace does not prolong the first secret (decision 9)', async () => {
  const tenant = testTenant({ settings: { 'registration.previous-secret-grace': 60 } });
  const first = await tenant.register(SERVICE);
  const second = await update(tenant, first, SERVICE);
  tenant.clock.advance(40);
  await update(tenant, second, SERVICE);
  tenant.clock.advance(20);
  assert.equal(await tokenStatus(tenant, first), 401);
  assert.equal(await tokenStatus(tenant, second), 200);
});

test('200: an update to none takes the secret away, grace or not; an update back gives a new one (decision 11)', async () => {
  const tenant = testTenant({ settings: { 'registration.previous-secret-grace': 60 } });
  const client = await tenant.register(WEB_CLIENT);
  const open = await update(tenant, client, { ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  assert.equal('client_secret' in open.members, false);
  assert.equal('client_secret_expires_at' in open.members, false);
  const closed = await update(tenant, open, WEB_CLIENT);
  assert.match(closed.client_secret, /^[A-Za-z0-9]{43}$/);
  assert.notEqual(closed.client_secret, client.client_secret);
});

test('200: what GET gave may be put back as it is: the members of the server are ignored (decision 9)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const initial = await tenant.initialToken(
    'client-reg:grant:code',
    'client-reg:scope:openid',
    'client-reg:data',
  );
  const data = { n: 1 };
  const ways = [
    { json: WEB_CLIENT },
    {
      bearer: MASTER,
      json: { ...WEB_CLIENT, ...SERVICE, scope: 'openid', data, preferred_client_id: 'app' },
    },
    { bearer: initial, json: { ...WEB_CLIENT, scope: 'openid', data } },
  ];
  for (const way of ways) {
    const client = clientInformationOf(await tenant.send('client-registration', way));
    const { members } = await update(tenant, client, client.members);
    const { client_secret, registration_access_token, ...rest } = members;
    assert.notEqual(client_secret, client.client_secret);
    assert.notEqual(registration_access_token, client.registration_access_token);
    for (const [name, value] of Object.entries(rest)) assert.deepEqual(value, client.members[name], name);
  }
});

// proves rfc7592-2.2-5
test('200: members of the server are ignored whatever they hold (decision 9)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(WEB_CLIENT);
  const { members } = await update(tenant, client, {
    ...WEB_CLIENT,
    client_secret: 'chosen-by-the-client',
    client_secret_expires_at: 1,
    registration_access_token: 'chosen-by-the-client',
    registration_client_uri: 'https://evil.example/',
    client_id_issued_at: 1,
  });
  assert.notEqual(members['client_secret'], 'chosen-by-the-client');
  assert.notEqual(members['registration_access_token'], 'chosen-by-the-client');
  assert.equal(members['client_secret_expires_at'], 0);
  assert.equal(members['client_id_issued_at'], START);
  assert.equal(members['registration_client_uri'], client.members['registration_client_uri']);
});

test('200: the identifier keeps its time of issue (interface, client_id_issued_at)', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const client = await tenant.register(WEB_CLIENT);
  tenant.clock.advance(50);
  const { members } = await update(tenant, client, WEB_CLIENT);
  assert.equal(members['client_id_issued_at'], START);
  assert.equal(members['client_secret_expires_at'], START + 150);
});

test('200: an access token of the client outlives an update', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...SERVICE, scope: 'read' });
  const token = await tenant.authorize({ client_id: client.client_id, scope: ['read'] });
  await update(tenant, client, { ...SERVICE, scope: 'read' });
  assert.equal((await tenant.introspect(token))['active'], true);
});

test('200: a client gives up what it does not need any more, and may take it back (decision 8)', async () => {
  const tenant = testTenant();
  const bearer = await tenant.initialToken(
    'client-reg:grant:code',
    'client-reg:grant:client',
    'client-reg:scope',
  );
  const json = { ...WEB_CLIENT, grant_types: ['authorization_code', 'client_credentials'], scope: 'read' };
  const client = clientInformationOf(await tenant.send('client-registration', { bearer, json }));
  const less = await update(tenant, client, WEB_CLIENT);
  assert.deepEqual(less.members['grant_types'], ['authorization_code']);
  const more = await update(tenant, less, { ...json, scope: 'read write' });
  assert.equal(more.members['scope'], 'read write');
});

test('200: the master token widens a client, and what it set is the new measure (decision 8)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const client = clientInformationOf(await tenant.send('client-registration', { json: WEB_CLIENT }));
  const wide = {
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'password'],
    scope: 'openid',
    data: { a: 1 },
  };
  const answered = await tenant.send('client-update', { bearer: MASTER, id: client.client_id, json: wide });
  assert.equal(answered.status, 200, answered.body);
  const { members } = await update(tenant, clientInformationOf(answered), wide);
  assert.deepEqual(members['data'], { a: 1 });
  assert.equal(members['scope'], 'openid');
});

test('200: the master token may set a secret, and may name the identifier the client has (interface)', async () => {
  const preferred_client_secret = 'a-secret-of-32-printable-letters';
  const tenant = testTenant();
  const { client_id } = await tenant.register(WEB_CLIENT);
  const json = { ...WEB_CLIENT, preferred_client_secret, preferred_client_id: client_id, client_id };
  const answered = await tenant.send('client-update', { bearer: MASTER, id: client_id, json });
  assert.equal(answered.status, 200, answered.body);
  assert.equal(answered.json['client_secret'], preferred_client_secret);
});

test('200: data is replaced letter for letter (decision 12)', async () => {
  const tenant = testTenant();
  const { client_id } = await tenant.register({ ...WEB_CLIENT, data: { old: true } });
  const body = `{"redirect_uris":["${CALLBACK}"],"data":{"n":1e400, "m":9007199254740993}}`;
  const answered = await tenant.send('client-update', { bearer: MASTER, id: client_id, body });
  assert.ok(answered.body.endsWith(',"data":{"n":1e400, "m":9007199254740993}}'), answered.body);
});

test('200: of parallel updates with one registration token exactly one succeeds; the token is dead for the others (decision 9)', async () => {
  const tenant = testTenant();
  const { client_id: id, registration_access_token: bearer } = await tenant.register(WEB_CLIENT);
  const answers = await Promise.all(
    Array.from(
      { length: 20 },
      async () => await tenant.send('client-update', { bearer, id, json: WEB_CLIENT }),
    ),
  );
  const won = answers.filter(({ status }) => status === 200);
  assert.equal(won.length, 1);
  assert.equal(answers.filter(({ status }) => status === 401).length, 19);
  const read = await tenant.send('client-read', { bearer: MASTER, id });
  assert.equal(read.body, won[0]?.body);
});

test('200: parallel updates with the master token all succeed, one after the other', async () => {
  const tenant = testTenant();
  const { client_id: id } = await tenant.register(WEB_CLIENT);
  const answers = await Promise.all(
    Array.from(
      { length: 10 },
      async () => await tenant.send('client-update', { bearer: MASTER, id, json: WEB_CLIENT }),
    ),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ json }) => json['registration_access_token'])).size, 10);
});
