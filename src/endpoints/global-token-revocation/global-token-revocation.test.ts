import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Subject } from '../../spec/identifiers.ts';
import { aPerson } from '../../testing/person.ts';
import { aReceiver, aSessionOf } from '../../testing/signals.ts';
import { ISSUER, MASTER, masterToken, type TestTenant, testTenant } from '../../testing/tenant.ts';

const TOKEN = 'trusted-party-of-global-token-revocation-0123456789';
const ENDPOINT = 'global-token-revocation';
const tenantWith = (settings = {}): TestTenant =>
  testTenant({
    settings: {
      'global-revocation.token-sha256': [masterToken(TOKEN)],
      'signals.enabled': true,
      ...settings,
    },
  });

const revoke = async (tenant: TestTenant, sub_id: unknown, bearer = TOKEN) =>
  await tenant.send(ENDPOINT, { bearer, json: { sub_id } });

const user = (sub: string) => ({ format: 'iss_sub', iss: ISSUER, sub });

// proves global-token-revocation-3-1, global-token-revocation-3-2, global-token-revocation-3-3
test('POST /global-token-revocation: 204, and no session, grant or token of the person is left, and those of others stay (draft-parecki-oauth-global-token-revocation-06 §3)', async () => {
  const tenant = tenantWith();
  const { account } = await aPerson(tenant);
  const { sub } = account;
  const receiver = await aReceiver(tenant);
  const { client_id } = receiver.client;
  const tokens = [];
  for (const subject of [sub, sub, 'bob']) {
    await aSessionOf(tenant, subject, receiver);
    tokens.push(await tenant.authorize({ sub: subject, client_id, scope: ['read'] }));
  }
  const refresh = await tenant.authorize({ sub, client_id, scope: ['read'], refresh_token: { issue: true } });
  const stream = await receiver.stream();
  assert.equal((await revoke(tenant, user(sub))).status, 204);
  const { sessions, grants, accounts } = tenant.unwatched;
  assert.deepEqual([await sessions.ofSubject(sub), await grants.ofSubject(sub)], [[], []]);
  assert.equal((await sessions.ofSubject('bob' as Subject)).length, 1);
  const [first = '', second = '', other = ''] = tokens;
  for (const token of [first, second, refresh])
    assert.equal((await tenant.introspect(token))['active'], false);
  assert.equal((await tenant.introspect(other))['active'], true);
  assert.equal((await accounts.find(sub))?.version, account.version + 1, 'sign-ins under way fail');
  const events = (await tenant.unwatched.audit.page(0, 200)).filter(
    ({ action }) => action === 'account.revoke',
  );
  assert.deepEqual(
    events.map(({ actor, sub: about }) => [actor, about]),
    [['master:trusted', sub]],
  );
  const told = await receiver.poll(stream);
  assert.ok(told.length >= 2 && told.every(({ body }) => body['initiating_entity'] === 'admin'));
});

// proves global-token-revocation-2-1
test('204: a subject without an account, an opaque one, and the name of an account name persons, too (RFC 9493 §3.2)', async () => {
  const tenant = tenantWith();
  const receiver = await aReceiver(tenant);
  await aSessionOf(tenant, 'elsewhere', receiver);
  assert.equal((await revoke(tenant, { format: 'opaque', id: 'elsewhere' })).status, 204);
  assert.deepEqual(await tenant.unwatched.sessions.ofSubject('elsewhere' as Subject), []);
  const { account } = await aPerson(tenant);
  await aSessionOf(tenant, account.sub, receiver);
  const uri = `acct:${account.login_name}@${new URL(ISSUER).host}`;
  assert.equal((await revoke(tenant, { format: 'account', uri })).status, 204);
  assert.deepEqual(await tenant.unwatched.sessions.ofSubject(account.sub), []);
});

const MISTAKEN: readonly unknown[] = [
  undefined,
  'ada',
  {},
  { format: 'iss_sub', iss: 'https://other.example', sub: 'ada' },
  { format: 'iss_sub', iss: ISSUER },
  { format: 'email', email: 'ada@example.com' },
  { format: 'account', uri: 'acct:ada@other.example' },
  { format: 'complex', user: { format: 'opaque', id: 'ada' } },
];

test('H-669 a subject of another issuer, of another format or of none: 400 that says what is allowed, and no session ends', async () => {
  const tenant = tenantWith();
  const receiver = await aReceiver(tenant);
  await aSessionOf(tenant, 'ada', receiver);
  for (const sub_id of MISTAKEN)
    assert.equal((await revoke(tenant, sub_id)).status, 400, JSON.stringify(sub_id));
  assert.equal((await tenant.unwatched.sessions.ofSubject('ada' as Subject)).length, 1);
});

// proves global-token-revocation-3-4
test('a person that the server does not know: 404', async () => {
  const tenant = tenantWith();
  for (const sub_id of [user('nothing'), { format: 'account', uri: 'acct:nothing@op.example.com' }])
    assert.equal((await revoke(tenant, sub_id)).status, 404);
});

test('without its own token: 401, also with the master token of registration and a token of a client', async () => {
  const tenant = tenantWith();
  const { token } = await aReceiver(tenant);
  for (const bearer of [MASTER, token, 'x'])
    assert.equal((await revoke(tenant, user('ada'), bearer)).status, 401);
  assert.equal((await tenant.send(ENDPOINT, { json: { sub_id: user('ada') } })).status, 401);
});

test('a fault of the storage: 500 without its cause', async () => {
  const tenant = tenantWith();
  const { account } = await aPerson(tenant);
  await tenant.opened();
  tenant.watch.fail(new Error('disk'), 'accounts.replace');
  const failed = await revoke(tenant, user(account.sub));
  assert.equal(failed.status, 500);
  assert.doesNotMatch(failed.body, /disk/u);
});

test('without a token in the settings the endpoint does not stand, and discovery does not name it', async () => {
  const tenant = testTenant();
  const { endpoints } = await tenant.site();
  assert.ok(!endpoints.some(({ contract }) => contract.name === ENDPOINT));
  assert.equal(
    (await tenant.send('openid-configuration')).json['global_token_revocation_endpoint'],
    undefined,
  );
  const on = await tenantWith().send('openid-configuration');
  assert.equal(on.json['global_token_revocation_endpoint'], `${ISSUER}/global-token-revocation`);
});
