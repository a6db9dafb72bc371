import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type Storage, StorageUnavailable } from '../../ports/storage.ts';
import { ampleCaches } from '../../testing/caches.ts';
import { administer, startTestServer, type TestServer } from '../../testing/postgres/server.ts';
import {
  aClient,
  aToken,
  EVENT,
  OPEN,
  OTHER_TENANT,
  TENANT,
  times,
} from '../../testing/storage/stored-examples.ts';
import { withRecordCache } from '../record-cache.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { openPostgresStorage } from './open.ts';
import { Pool } from './pool.ts';

const OPTIONS = { connections_max: 6, deadline_ms: 1000, migrate: true, replica: '' };

let server: TestServer;
before(async () => {
  server = await startTestServer();
});
after(async () => await server.stop());

/** Writes until it works; a storage that never recovers runs into the test's own limit. */
async function recovered(storage: Storage): Promise<void> {
  const failure = await storage.ready().catch((error: unknown) => error);
  if (failure === undefined) return;
  assert.ok(failure instanceof StorageUnavailable);
  await sleep(20);
  await recovered(storage);
}

/** A transient failure may meet each of the connections that were open; then all are new. */
async function readsAgain<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    assert.ok(error instanceof StorageUnavailable);
    return await readsAgain(read);
  }
}

test('a stopped server (SIGSTOP) blocks no caller: reads, writes and cached answers fail by the deadline, and work again later (F9)', {
  timeout: 60_000,
}, async () => {
  const storage = await openPostgresStorage(await server.createDatabase(), OPTIONS);
  const tenant = storage.forTenant(TENANT);
  const cached = withRecordCache(tenant, { clients: 10, accessTokens: 10 }, ampleCaches());
  const client = aClient();
  const token = aToken(client);
  await tenant.clients.create(client, OPEN);
  await tenant.accessTokens.issue(token);
  assert.deepEqual(await cached.accessTokens.find(token.key), token);
  server.signal('SIGSTOP');
  try {
    await assert.rejects(async () => await cached.accessTokens.find(token.key), StorageUnavailable);
    await assert.rejects(async () => await tenant.clients.find(client.client_id), StorageUnavailable);
    await assert.rejects(tenant.accessTokens.issue(aToken(client)), StorageUnavailable);
    await assert.rejects(tenant.clients.delete(client, EVENT), StorageUnavailable);
    await assert.rejects(storage.ready(), StorageUnavailable);
  } finally {
    server.signal('SIGCONT');
  }
  await recovered(storage);
  assert.deepEqual(await readsAgain(async () => await tenant.accessTokens.find(token.key)), token);
  await storage.close();
});

test('however many writes wait for a stopped server, none waits longer than the deadline', {
  timeout: 60_000,
}, async () => {
  const storage = await openPostgresStorage(await server.createDatabase(), OPTIONS);
  const tenant = storage.forTenant(TENANT);
  const clients = times(40, () => aClient());
  for (const client of clients) await tenant.clients.create(client, OPEN);
  server.signal('SIGSTOP');
  const started = performance.now();
  try {
    const writes = clients.flatMap((client) => [
      tenant.clients.delete(client, EVENT),
      tenant.accessTokens.issue(aToken(client)),
    ]);
    const outcomes = await Promise.allSettled(writes);
    assert.ok(outcomes.every(({ status }) => status === 'rejected'));
    // One after the other they would take forty deadlines; ten are room for a machine that does other things too.
    assert.ok(performance.now() - started < 10 * OPTIONS.deadline_ms, `${performance.now() - started} ms`);
  } finally {
    server.signal('SIGCONT');
  }
  await recovered(storage);
  await storage.close();
});

test('a connection that comes too late for who waited for it is not lost to the pool', {
  timeout: 60_000,
}, async () => {
  const deadline_ms = 1000;
  const url = parseDatabaseUrl(await server.createDatabase());
  const pool = new Pool(url, { connections_max: 1, deadline_ms, writable: true });
  const taken = Promise.withResolvers<void>();
  const first = pool.with(async (connection) => {
    await taken.promise;
    connection.destroy();
  });
  const refused = assert.rejects(
    pool.with(async () => undefined),
    StorageUnavailable,
  );
  await sleep(deadline_ms / 2);
  server.signal('SIGSTOP');
  taken.resolve();
  await Promise.all([first, refused]);
  server.signal('SIGCONT');
  await sleep(deadline_ms);
  assert.equal(await pool.with(async () => 'lent'), 'lent');
  await pool.close();
});

test('a server that was killed and comes back has everything that was acknowledged (F9)', {
  timeout: 60_000,
}, async () => {
  const storage = await openPostgresStorage(await server.createDatabase(), OPTIONS);
  const { accessTokens } = storage.forTenant(TENANT);
  const acknowledged: ReturnType<typeof aToken>[] = [];
  const over = new AbortController();
  const issue = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const token = aToken();
      try {
        await accessTokens.issue(token);
        acknowledged.push(token);
      } catch (error) {
        assert.ok(error instanceof StorageUnavailable);
        await sleep(5);
      }
    }
  };
  const walkers = times(8, issue);
  while (acknowledged.length < 200) await sleep(5);
  await server.kill();
  await server.start();
  await recovered(storage);
  over.abort();
  await Promise.all(walkers);
  for (const token of acknowledged) {
    assert.deepEqual(await readsAgain(async () => await accessTokens.find(token.key)), token);
  }
  await storage.close();
});

test('a question whose connection was closed on the way is asked again', { timeout: 60_000 }, async () => {
  const url = await server.createDatabase();
  const storage = await openPostgresStorage(url, OPTIONS);
  const tenant = storage.forTenant(TENANT);
  const token = aToken();
  await tenant.accessTokens.issue(token);
  for (let round = 0; round < 10; round += 1) {
    await administer(
      server.port,
      'postgres',
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'chancery'",
    );
    assert.deepEqual(await tenant.accessTokens.find(token.key), token);
  }
  await storage.close();
});

test('of several hosts the one that answers is used, be the others silent or gone', {
  timeout: 60_000,
}, async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const url = (await server.createDatabase()).replace('@', `@127.0.0.1:${port},127.0.0.1:1,`);
  const storage = await openPostgresStorage(url, OPTIONS);
  await storage.ready();
  await storage.close();
  silent.close();
});

test('a database that cannot be reached is named without its password', async () => {
  await assert.rejects(
    openPostgresStorage('postgres://someone:hunter2@127.0.0.1:1/registry', OPTIONS),
    (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable);
      assert.doesNotMatch(`${error.message} ${JSON.stringify(error)}`, /hunter2/u);
      return true;
    },
  );
});

test('row security: a statement without its tenant, or with another one, sees and changes no row of it', async () => {
  const url = await server.createDatabase();
  const storage = await openPostgresStorage(url, OPTIONS);
  const client = aClient();
  await storage.forTenant(TENANT).clients.create(client, OPEN);
  await storage.forTenant(OTHER_TENANT).clients.create(aClient(), OPEN);
  const outsider = new Client({ connectionString: url });
  await outsider.connect();
  const count = async (): Promise<unknown> =>
    (await outsider.query<{ found: string }>('SELECT count(*) AS found FROM client')).rows[0]?.found;
  assert.equal(await count(), '0');
  await outsider.query("SELECT set_config('chancery.tenant', $1, false)", [TENANT]);
  assert.equal(await count(), '1');
  assert.equal((await outsider.query('DELETE FROM client WHERE tenant = $1', [OTHER_TENANT])).rowCount, 0);
  await assert.rejects(
    outsider.query('INSERT INTO open_client_count (tenant, clients) VALUES ($1, 0)', [OTHER_TENANT]),
    /row-level security/u,
  );
  await outsider.end();
  await storage.close();
});

test('a table that cannot be read fails the reads and writes that need it, and none that are sent with them (F44)', async () => {
  const url = await server.createDatabase();
  let failedReads = 0;
  const failedRead = (): void => void (failedReads += 1);
  const storage = await openPostgresStorage(url, { ...OPTIONS, failedRead });
  const { clients, accessTokens, replays } = storage.forTenant(TENANT);
  const [client, other] = [aClient(), aClient()];
  for (const each of [client, other]) await clients.create(each, OPEN);
  const database = new URL(url.replace('postgres:', 'http:')).pathname.slice(1);
  await administer(server.port, database, 'ALTER TABLE access_token RENAME TO away');
  const settled = await Promise.allSettled([
    clients.find(client.client_id),
    accessTokens.find(aToken().key),
    clients.find(other.client_id),
    accessTokens.issue(aToken()),
    replays.rememberOnce('client-assertion', 'client', 'digest', 4_000_000_000),
  ]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(failedReads, 1);
  await storage.ready();
  for (let time = 0; time < 5; time += 1)
    await assert.rejects(async () => await accessTokens.find(aToken().key));
  await assert.rejects(storage.ready(), /cannot be read: 6 of \d+ reads failed/);
  await storage.close();
});
