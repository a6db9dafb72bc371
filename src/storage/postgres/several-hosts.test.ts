import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import { administer, startTestServer, type TestServer } from '../../testing/postgres/server.ts';
import { aClient, aToken, EVENT, LABEL, OPEN, TENANT } from '../../testing/storage/stored-examples.ts';
import { openPostgresStorage, type PostgresOptions } from './open.ts';

/** A primary and a standby that follows it. No server listens on port 1. */
const OPTIONS: PostgresOptions = { connections_max: 4, deadline_ms: 20_000, migrate: true, replica: '' };
let server: TestServer;
let standby: Awaited<ReturnType<TestServer['startStandby']>>;
let url: string;

before(async () => {
  server = await startTestServer();
  standby = await server.startStandby();
  url = await server.createDatabase();
  await (await openPostgresStorage(url, OPTIONS)).close();
});
after(async () => await server.stop());

const atPorts = (...ports: readonly number[]): string =>
  url.replace(/@[^/]*/u, `@${ports.map((port) => `127.0.0.1:${port}`).join(',')}`);

async function onStorage(
  at: string,
  options: Partial<PostgresOptions>,
  act: (storage: Storage) => Promise<void>,
): Promise<void> {
  const storage = await openPostgresStorage(at, { ...OPTIONS, ...options });
  try {
    await act(storage);
  } finally {
    await storage.close();
  }
}

/** The standby has what the primary had when this was asked. */
async function followed(): Promise<void> {
  await onStorage(url, {}, async (storage) => {
    const client = aClient();
    await storage.forTenant(TENANT).clients.create(client, OPEN);
    const following = { replica: atPorts(standby.port) };
    await onStorage(url, following, async (reading) => {
      const seen = async (): Promise<boolean> =>
        (await reading.forTenant(TENANT).clients.page(undefined, 1000)).some(
          ({ client_id }) => client_id === client.client_id,
        );
      while (!(await seen())) await sleep(20);
    });
    await storage.forTenant(TENANT).clients.delete(client, EVENT);
  });
}

test('the primary among several hosts is used, in any order, while the other hosts are dead or follow it', async () => {
  const primary = server.port;
  for (const ports of [
    [primary, standby.port],
    [standby.port, primary],
    [1, standby.port, primary],
    [primary, 1],
  ]) {
    await onStorage(atPorts(...ports), {}, async (storage) => {
      const { clients } = storage.forTenant(TENANT);
      const client = aClient();
      await clients.create(client, OPEN);
      assert.deepEqual(await clients.find(client.client_id), client, String(ports));
    });
  }
});

test('where no host is a primary that answers, the message says of each why', async () => {
  for (const [ports, why] of [
    [[standby.port], /is a standby/u],
    [[1], /ECONNREFUSED/u],
    [[standby.port, 1], /is a standby.*; .*ECONNREFUSED 127\.0\.0\.1:1/u],
  ] as const) {
    await assert.rejects(openPostgresStorage(atPorts(...ports), OPTIONS), (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable);
      assert.match(error.message, why);
      return true;
    });
  }
});

test('storage.replica-url: pages of clients are read there, and nothing else is; away, the primary answers (F15)', {
  timeout: 120_000,
}, async () => {
  await followed();
  const { pathname } = new URL(url.replace('postgres:', 'http:'));
  await administer(standby.port, pathname.slice(1), 'SELECT pg_wal_replay_pause()');
  await onStorage(url, { replica: atPorts(standby.port), deadline_ms: 5000 }, async (storage) => {
    const tenant = storage.forTenant(TENANT);
    const client = aClient({ shared_digest: 'shared' as never });
    const token = aToken(client);
    await tenant.clients.create(client, OPEN);
    await tenant.clients.recordUses([
      { client_id: client.client_id, instance: client.instance, secret_digest: null, last_used_at: 1 },
    ]);
    await tenant.accessTokens.issue(token);
    const initial = aToken();
    await tenant.accessTokens.issueInitial(initial, LABEL, EVENT);
    const listed = async (): Promise<boolean> =>
      (await tenant.clients.page(undefined, 1000)).some(({ client_id }) => client_id === client.client_id);
    assert.equal(await listed(), false, 'the standby does not know it yet');
    assert.deepEqual(await tenant.clients.find(client.client_id), client);
    assert.deepEqual(await tenant.clients.findShared('shared' as never), client);
    assert.equal(await tenant.clients.hasRegistrationToken(client.registration_token_digest), true);
    assert.equal((await tenant.clients.uses(client)).length, 1);
    assert.deepEqual(await tenant.accessTokens.find(token.key), token);
    assert.deepEqual(await tenant.accessTokens.findInitial(initial.key), LABEL);
    assert.equal((await tenant.accessTokens.pageInitial(undefined, 10)).length, 1);
    assert.ok((await tenant.journal.head()) >= 0);
    assert.ok((await tenant.audit.page(0, 1000)).length > 0);
    await administer(standby.port, pathname.slice(1), 'SELECT pg_wal_replay_resume()');
    while (!(await listed())) await sleep(20);
    await standby.stop();
    const later = aClient();
    await tenant.clients.create(later, OPEN);
    const all = await tenant.clients.page(undefined, 1000);
    assert.ok(all.some(({ client_id }) => client_id === later.client_id));
  });
});

test('a standby that has become the primary is used from then on, with everything that it had (F10)', {
  timeout: 120_000,
}, async () => {
  const next = await server.startStandby();
  await onStorage(atPorts(server.port, next.port), { deadline_ms: 5000 }, async (storage) => {
    const { clients } = storage.forTenant(TENANT);
    const client = aClient();
    await clients.create(client, OPEN);
    await onStorage(url, { replica: atPorts(next.port) }, async (reading) => {
      const page = async () => await reading.forTenant(TENANT).clients.page(undefined, 1000);
      while (!(await page()).some(({ client_id }) => client_id === client.client_id)) await sleep(20);
    });
    await server.kill();
    await administer(next.port, 'postgres', 'SELECT pg_promote()');
    const created = async (): Promise<unknown> => {
      const another = aClient();
      try {
        return await clients.create(another, OPEN);
      } catch (error) {
        assert.ok(error instanceof StorageUnavailable);
        await sleep(50);
        return await created();
      }
    };
    assert.equal(await created(), 'created');
    assert.deepEqual(await clients.find(client.client_id), client);
  });
  await next.stop();
});
