import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { AccessTokenKey, ClientId, ClientInstance, KeyId, TenantId } from '../../spec/identifiers.ts';
import {
  aClient,
  aCode,
  aGrant,
  anEvent,
  aServerKey,
  aTokenOf,
  EVENT,
  NOW,
  OPEN,
  TENANT,
} from '../../testing/storage/stored-examples.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';
import { openSqliteStorage } from './open.ts';

const root = mkdtempSync(join(tmpdir(), 'chancery-migrations-'));
after(() => rmSync(root, { recursive: true }));

/** A database as the first version of the schema left it. */
function firstVersion(path: string): void {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA application_id = ${APPLICATION_ID};
    CREATE TABLE schema_migration (
      version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT;
    INSERT INTO schema_migration VALUES (1, 'first', 0);
    ${MIGRATIONS[0]?.sql}`);
  const client = database.prepare(`
    INSERT INTO client VALUES (?, ?, 'i', 1, ${NOW}, ?, 'sealed', ?, '[]', '{}', '{"client_name":"ü"}', NULL)`);
  for (const [tenant, client_id, via] of [
    ['default', 'a', 'open'],
    ['default', 'b', 'open'],
    ['default', 'c', 'master'],
    ['other', 'a', 'open'],
  ] as const)
    client.run(tenant, client_id, `${tenant}-${client_id}`, via);
  database.exec(`
    INSERT INTO server_key VALUES ('default', 'second', 1, 'mac', ${NOW}, NULL, 'sealed 2');
    INSERT INTO server_key VALUES ('default', 'first', 0, 'sig', ${NOW - 5}, '{}', 'sealed 1');`);
  const initial = database.prepare(`
    INSERT INTO initial_access_token VALUES ('default', ?, 'l', ${NOW}, ${NOW + 600}, ?, NULL, NULL)`);
  const token = database.prepare(`
    INSERT INTO access_token VALUES ('default', ?, ${NOW + 600}, 'c', NULL, ?)`);
  token.run('k1', '{"active":true,"scope":"client-reg client-reg:data"}');
  token.run('k2', 'not JSON');
  for (const [key, used_at] of [
    ['k1', null],
    ['k2', null],
    ['k3', NOW],
  ] as const)
    initial.run(key, used_at);
  database.close();
}

/** Opens a database as a later version of the schema left it. */
function ofVersion(newest: number, name: string): { readonly path: string; readonly database: DatabaseSync } {
  const path = join(root, name);
  firstVersion(path);
  const database = new DatabaseSync(path);
  for (const { version, sql } of MIGRATIONS.slice(1, newest)) {
    database.exec(sql);
    database.prepare('INSERT INTO schema_migration VALUES (?, ?, 0)').run(version, String(version));
  }
  return { path, database };
}

async function migrated(name: string) {
  const path = join(root, name);
  firstVersion(path);
  const storage = await openSqliteStorage(path, { writer: 'main' });
  return { storage, tenant: storage.forTenant(TENANT) };
}

test('clients of a database of version 1 are counted, found, idle, changed and deleted like new ones', async () => {
  const { storage, tenant } = await migrated('clients.sqlite');
  const { clients } = tenant;
  assert.equal(await clients.countOpen(), 2);
  const [a, b, c] = await clients.page(undefined, 10);
  assert.ok(a !== undefined && b !== undefined && c !== undefined);
  assert.deepEqual(a, {
    ...aClient(),
    client_id: 'a' as ClientId,
    instance: 'i',
    metadata: '{"client_name":"ü"}',
    registration_token_digest: 'default-a',
    shared_digest: null,
    entity_id: null,
    expires_at: null,
    document: null,
    federation: null,
    resolved_at: null,
    renew_at: null,
    owner: null,
  });
  assert.deepEqual(await clients.idle(NOW + 1, undefined, 10), [a, b]);
  assert.equal(await clients.create(aClient(), { ...OPEN, openClientsMax: 2 }), 'open_clients_exhausted');
  assert.equal(await clients.delete(a, EVENT), 'done');
  assert.equal(await clients.replace({ ...b, version: 2 }, 1, EVENT), 'done');
  assert.equal(await clients.create(aClient(), { ...OPEN, openClientsMax: 2 }), 'created');
  await storage.close();
});

test('server keys of a database of version 1 are in use since they were made, and can be followed by others', async () => {
  const { storage, tenant } = await migrated('keys.sqlite');
  const { serverKeys } = tenant;
  const life = { retired_at: null, succeeds: null };
  const first = { kid: 'first', use: 'sig', created_at: NOW - 5, active_at: NOW - 5, ...life };
  const second = { kid: 'second', use: 'mac', created_at: NOW, active_at: NOW, ...life };
  assert.deepEqual(await serverKeys.all(), [
    { ...first, public_jwk: '{}', sealed_jwk: 'sealed 1' },
    { ...second, public_jwk: null, sealed_jwk: 'sealed 2' },
  ]);
  assert.deepEqual(await serverKeys.removed(), []);
  const successor = aServerKey({ succeeds: 'first' as KeyId, active_at: NOW + 1 });
  assert.equal(await serverKeys.succeed(successor, EVENT), true);
  assert.deepEqual((await serverKeys.all()).at(-1), successor);
  await storage.close();
});

test('initial access tokens of a database of version 1 keep their scope where it is known', async () => {
  const { storage, tenant } = await migrated('tokens.sqlite');
  const tokens = await tenant.accessTokens.pageInitial(undefined, 10);
  assert.deepEqual(
    tokens.map(({ key, scope, redirect_hosts, used_at, revoked_at }) => [
      key,
      scope,
      redirect_hosts,
      used_at,
      revoked_at,
    ]),
    [
      ['k1', 'client-reg client-reg:data', null, null, null],
      ['k2', '', null, null, null],
      ['k3', '', null, NOW, null],
    ],
  );
  assert.equal(await tenant.accessTokens.revokeInitial('k1' as AccessTokenKey, anEvent()), true);
  assert.equal((await tenant.audit.page(0, 10)).length, 1);
  await storage.close();
});

test('authorisation codes of a database of version 37 are good once, or were used before', async () => {
  const { path, database } = ofVersion(37, 'codes.sqlite');
  const client = aClient({ client_id: 'a' as ClientId, instance: 'i' as ClientInstance });
  const insert = database.prepare(
    "INSERT INTO authorization_code VALUES ('default', ?, 'a', 'i', ?, ?, ?, ?)",
  );
  const [fresh, used] = [aCode(client, { kept_until: NOW + 7200 }), aCode(client)];
  for (const { key, content, expires_at, kept_until } of [fresh, used])
    insert.run(key, content, expires_at, kept_until, key === used.key ? 'g' : null);
  database.close();
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { authorizationCodes } = storage.forTenant(TENANT);
  const redeemed = async ({ key }: typeof fresh): Promise<string> => {
    const grant = aGrant(client);
    return await authorizationCodes.redeem(key, { grant, token: aTokenOf(grant) });
  };
  assert.deepEqual(await authorizationCodes.find(fresh.key), fresh);
  assert.deepEqual(
    [await redeemed(used), await redeemed(fresh), await redeemed(fresh)],
    ['used', 'redeemed', 'used'],
  );
  assert.equal(await authorizationCodes.sweepExpired(NOW + 7000, 10), 1);
  await storage.close();
});

test('what a database of version 39 remembers cannot be used again, and is forgotten when it has expired', async () => {
  const { path, database } = ofVersion(39, 'replays.sqlite');
  const insert = database.prepare("INSERT INTO remembered_once VALUES (?, 'client-assertion', 'c', ?, ?)");
  insert.run('default', 'late', NOW + 600);
  insert.run('default', 'early', NOW + 60);
  insert.run('other', 'early', NOW + 60);
  database.close();
  const storage = await openSqliteStorage(path, { writer: 'main' });
  const { replays } = storage.forTenant(TENANT);
  const isNew = async (value: string): Promise<boolean> =>
    await replays.rememberOnce('client-assertion', 'c', value, NOW + 600);
  assert.deepEqual([await isNew('early'), await isNew('late'), await isNew('new')], [false, false, true]);
  assert.equal(await replays.sweepExpired(NOW + 120, 10), 1);
  assert.deepEqual([await isNew('early'), await isNew('late')], [true, false]);
  const other = storage.forTenant('other' as TenantId).replays;
  assert.equal(await other.rememberOnce('client-assertion', 'c', 'early', NOW + 600), false);
  await storage.close();
});
