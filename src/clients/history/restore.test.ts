import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { sealerWith } from '../../system/sealer.ts';
import { assertProblem } from '../../testing/admin-operations.ts';
import { registerAsOperator } from '../../testing/administration.ts';
import type { Answer } from '../../testing/exchange.ts';
import {
  ADMIN,
  type ClientInformation,
  MASTER,
  SERVICE,
  type TestTenant,
  testTenant,
  WEB_CLIENT,
} from '../../testing/tenant.ts';
import type { AuditTrail } from '../audit-trail.ts';
import { rotateSecret } from '../secrets/rotate-secret.ts';
import { resealVersions } from './reseal-versions.ts';

const trail = (): AuditTrail => ({ action: 'client.secret', request_id: 'r', actor: 'cli', client_id: null });

async function works(tenant: TestTenant, client_id: string, secret: string): Promise<boolean> {
  const form = { grant_type: 'client_credentials' };
  return (await tenant.send('token', { basic: [client_id, secret], form })).status === 200;
}

const restored = async (
  tenant: TestTenant,
  { client_id: id }: Pick<ClientInformation, 'client_id'>,
  json: object = {},
  bearer = ADMIN,
): Promise<Answer> => await tenant.send('admin-client-restore', { bearer, segments: { id }, json });

const broughtBack = async (
  tenant: TestTenant,
  { client_id: id }: Pick<ClientInformation, 'client_id'>,
  json: object = {},
  bearer = ADMIN,
): Promise<Answer> => await tenant.send('admin-deleted-client-restore', { bearer, segments: { id }, json });

async function updated(
  tenant: TestTenant,
  { client_id: id }: ClientInformation,
  json: object,
): Promise<void> {
  const answered = await tenant.send('client-update', { bearer: MASTER, id, json });
  assert.equal(answered.status, 200, answered.body);
}

async function deleted(tenant: TestTenant, { client_id: id }: ClientInformation): Promise<void> {
  assert.equal((await tenant.send('client-delete', { bearer: MASTER, id })).status, 204);
}

async function stored(tenant: TestTenant, { client_id }: ClientInformation): Promise<StoredClient> {
  return (await tenant.unwatched.clients.find(client_id as ClientId)) ?? assert.fail('no client');
}

test('a restored version leaves the secrets as they are, and brings back its own on request (H-523)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  await rotateSecret(
    await tenant.registry(),
    client.client_id as ClientId,
    { keepPreviousSeconds: 0 },
    trail(),
  );
  assert.deepEqual((await restored(tenant, client)).json, { client_id: client.client_id, version: 3 });
  assert.equal(await works(tenant, client.client_id, client.client_secret), false);
  assert.equal((await restored(tenant, client, { version: 1, with_secrets: true })).status, 200);
  assert.equal(await works(tenant, client.client_id, client.client_secret), true);
  const details = (await tenant.unwatched.audit.page(0, 100)).map(({ detail }) => detail);
  assert.deepEqual(details.slice(-2), ['version 1', 'version 1 with secrets']);
});

test('an undo can be undone, and undone again', async () => {
  const tenant = testTenant();
  const client = await tenant.register({ ...WEB_CLIENT, client_name: 'first', data: { n: 1.0 } });
  await updated(tenant, client, { ...WEB_CLIENT, client_name: 'second' });
  const seen: unknown[] = [];
  for (let time = 0; time < 3; time += 1) {
    assert.equal((await restored(tenant, client)).status, 200);
    const { metadata, data, version } = await stored(tenant, client);
    seen.push([(JSON.parse(metadata) as { client_name: string }).client_name, data, version]);
  }
  assert.deepEqual(seen, [
    ['first', '{"n":1}', 3],
    ['second', null, 4],
    ['first', '{"n":1}', 5],
  ]);
});

test('a version whose method needs a secret gets a new one, shown once, if the client has none that fits', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  await updated(tenant, client, { ...WEB_CLIENT, token_endpoint_auth_method: 'none' });
  assert.deepEqual((await stored(tenant, client)).secrets, []);
  const { json } = await restored(tenant, client);
  assert.equal(await works(tenant, client.client_id, String(json['client_secret'])), true);
  assert.equal(await works(tenant, client.client_id, client.client_secret), false);
  assert.equal((await restored(tenant, client)).status, 200);
  assert.deepEqual((await stored(tenant, client)).secrets, []);
});

test('a secret that is too short for the algorithm of the version is replaced', async () => {
  const tenant = testTenant();
  const jwt = {
    ...SERVICE,
    token_endpoint_auth_method: 'client_secret_jwt',
    token_endpoint_auth_signing_alg: 'HS512',
  };
  const client = await tenant.register(jwt);
  await updated(tenant, client, SERVICE);
  const { json } = await restored(tenant, client);
  assert.ok(String(json['client_secret']).length >= 64);
});

test('a client that was deleted because its secret leaked comes back with another one, unless the operator asks for it (H-523)', async () => {
  for (const with_secrets of [false, true]) {
    const tenant = testTenant();
    const client = await tenant.register(SERVICE);
    await deleted(tenant, client);
    const { json } = await broughtBack(tenant, client, { with_secrets });
    assert.equal(await works(tenant, client.client_id, client.client_secret), with_secrets);
    assert.equal(typeof json['client_secret'], with_secrets ? 'undefined' : 'string');
    if (!with_secrets) assert.ok(await works(tenant, client.client_id, String(json['client_secret'])));
  }
});

test('an expired secret never comes back', async () => {
  const tenant = testTenant({ settings: { 'registration.client-secret-lifetime': 100 } });
  const client = await tenant.register(SERVICE);
  await deleted(tenant, client);
  tenant.clock.advance(100);
  const { json } = await broughtBack(tenant, client, { with_secrets: true });
  assert.equal(await works(tenant, client.client_id, client.client_secret), false);
  assert.equal(await works(tenant, client.client_id, String(json['client_secret'])), true);
});

test('tokens of a deleted client stay inactive after its restoration (H-523)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  const form = { grant_type: 'client_credentials' };
  const { json } = await tenant.send('token', { basic: [client.client_id, client.client_secret], form });
  const token = String(json['access_token']);
  assert.equal((await tenant.introspect(token))['active'], true);
  await deleted(tenant, client);
  assert.equal((await broughtBack(tenant, client, { with_secrets: true })).status, 200);
  assert.deepEqual(await tenant.introspect(token), { active: false });
});

/** Keeps a version of a client with other metadata, as an older program or other settings would have stored it. */
async function withFormer(tenant: TestTenant, metadata: object): Promise<ClientInformation> {
  const client = await tenant.register(SERVICE);
  const now = await stored(tenant, client);
  const older = {
    ...now,
    version: 2,
    metadata: JSON.stringify({ ...JSON.parse(now.metadata), ...metadata }),
  };
  await tenant.unwatched.clients.replace(older, 1);
  await updated(tenant, client, SERVICE);
  return client;
}

for (const [what, metadata, words] of [
  [
    'an address',
    { redirect_uris: ['http://rp.example/cb'] },
    /redirect_uris\[0\] 'http:\/\/rp\.example\/cb'/,
  ],
  ['a grant type', { grant_types: ['client_credentials', 'urn:gone'] }, /grant_types\[1\] 'urn:gone'/],
  ['a member', { token_endpoint_auth_method: 'client_secret_post', unknown_member: 1 }, /unknown_member/],
] as const) {
  test(`a version with ${what} that is no longer allowed is refused with 400, which names member and value; nothing changes (H-526)`, async () => {
    const tenant = testTenant();
    const client = await withFormer(tenant, metadata);
    const before = await stored(tenant, client);
    const refused = await restored(tenant, client);
    assert.equal(refused.status, 400, refused.body);
    assert.match(String(refused.json['detail']), words);
    assert.deepEqual(await stored(tenant, client), before);
    await deleted(tenant, client);
  });
}

test('a caller cannot restore scope of the administration that it lacks, of a version or of a deleted client (H-526)', async () => {
  const tenant = testTenant();
  const client = await registerAsOperator(tenant, { ...SERVICE, scope: 'admin:keys' });
  await updated(tenant, client, SERVICE);
  const caller = await tenant.adminToken('admin:clients:write', 'admin:keys:read');
  const refused = await restored(tenant, client, {}, caller);
  assert.equal(refused.status, 400, refused.body);
  assert.match(String(refused.json['detail']), /scope 'admin:keys'/);
  const holder = await tenant.adminToken('admin:clients:write', 'admin:keys');
  assert.equal((await restored(tenant, client, {}, holder)).status, 200);
  await deleted(tenant, client);
  assert.equal((await broughtBack(tenant, client, {}, caller)).status, 400);
  assert.equal((await broughtBack(tenant, client, {}, holder)).status, 200);
});

test('a restored registration token permits no scope of the administration beyond that of the version (H-526)', async () => {
  const tenant = testTenant();
  const client = await registerAsOperator(tenant, { ...SERVICE, scope: 'admin:keys' });
  const own = { bearer: client.registration_access_token, id: client.client_id, json: SERVICE };
  const { json } = await tenant.send('client-update', own);
  await updated(tenant, client, { ...SERVICE, client_name: 'later' });
  const caller = await tenant.adminToken('admin:clients:write');
  assert.equal((await restored(tenant, client, { version: 2 }, caller)).status, 200);
  const { registration_access_token } = (
    await tenant.send('client-read', { bearer: MASTER, id: client.client_id })
  ).json;
  assert.ok(json['registration_access_token'] !== registration_access_token);
  const wider = {
    bearer: String(registration_access_token),
    id: client.client_id,
    json: { ...SERVICE, scope: 'admin:keys' },
  };
  assert.notEqual((await tenant.send('client-update', wider)).status, 200);
});

test('an openly registered client that deletes itself is not kept, and one that an operator deletes is (H-520)', async () => {
  const tenant = testTenant({ settings: { 'registration.allow-open-registration': true } });
  const kept: unknown[] = [];
  for (const byItself of [true, false]) {
    const { json } = await tenant.send('client-registration', { json: WEB_CLIENT });
    const id = String(json['client_id']);
    for (let time = 0; time < 15; time += 1)
      await tenant.send('client-update', {
        bearer: MASTER,
        id,
        json: { ...WEB_CLIENT, client_name: `${time}` },
      });
    const { json: now } = await tenant.send('client-read', { bearer: MASTER, id });
    const bearer = byItself ? String(now['registration_access_token']) : MASTER;
    const { instance } = (await tenant.unwatched.clients.find(id as ClientId)) ?? assert.fail();
    assert.equal((await tenant.send('client-delete', { bearer, id })).status, 204);
    kept.push(
      (await tenant.unwatched.clientHistory.versions({ client_id: id as ClientId, instance }, undefined, 99))
        .length,
    );
  }
  assert.deepEqual(kept, [0, 11]);
});

test('with history.versions-per-client, history.lifetime or history.deleted-lifetime 0 nothing is kept', async () => {
  for (const setting of ['history.versions-per-client', 'history.lifetime'] as const) {
    const tenant = testTenant({ settings: { [setting]: 0, 'history.deleted-lifetime': 0 } });
    const client = await tenant.register(SERVICE);
    await updated(tenant, client, WEB_CLIENT);
    assert.deepEqual(
      await tenant.unwatched.clientHistory.versions(await stored(tenant, client), undefined, 9),
      [],
    );
    await deleted(tenant, client);
    assertProblem(await broughtBack(tenant, client), 404, 'not_found');
  }
});

test('re-encryption moves the secrets of former versions and deleted clients to the current key, once (H-528)', async () => {
  const tenant = testTenant();
  const client = await tenant.register(SERVICE);
  await updated(tenant, client, { ...SERVICE, client_name: 'later' });
  await deleted(tenant, client);
  const { sealer } = await tenant.registry();
  const fresh = sealerWith([new Uint8Array(32).fill(9)]);
  const ring = {
    ...fresh,
    open: (text: Parameters<typeof sealer.open>[0], place: string) =>
      fresh.isCurrent(text) ? fresh.open(text, place) : sealer.open(text, place),
  };
  const history = tenant.unwatched.clientHistory;
  assert.equal(await resealVersions(history, ring), 2);
  assert.equal(await resealVersions(history, ring), 0);
  const found = await history.deleted(client.client_id as ClientId);
  assert.ok(found?.secrets.every(({ sealed }) => fresh.isCurrent(sealed)));
});
