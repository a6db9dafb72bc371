import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import { administer, startTestServer, type TestServer } from '../../testing/postgres/server.ts';
import { Promotions } from './connection.ts';
import { type DatabaseUrl, parseDatabaseUrl } from './database-url.ts';
import { Pool } from './pool.ts';
import { bound, statement } from './statement.ts';

const PORT = statement('test_port', "SELECT current_setting('port') AS port");
let server: TestServer;
let standby: Awaited<ReturnType<TestServer['startStandby']>>;
let url: string;

before(async () => {
  server = await startTestServer();
  url = await server.createDatabase();
  standby = await server.startStandby();
});
after(async () => await server.stop());

const at = (...ports: readonly number[]): DatabaseUrl =>
  parseDatabaseUrl(url.replace(/@[^/]*/u, `@${ports.map((port) => `127.0.0.1:${port}`).join(',')}`));

const poolAt = (place: DatabaseUrl, promotions: Promotions): Pool =>
  new Pool(place, { connections_max: 1, deadline_ms: 20_000, writable: true, promotions });

const portOf = async (pool: Pool): Promise<number> =>
  await pool.with(async (connection) => {
    const [found] = await connection.execute([bound(PORT, {})]);
    return Number(found?.rows[0]?.['port']);
  });

test('a primary that does not know that another was promoted is asked no more, over old connections and new ones (F11)', async () => {
  const promotions = new Promotions();
  const both = poolAt(at(server.port, standby.port), promotions);
  const former = poolAt(at(server.port), promotions);
  const promoted = poolAt(at(standby.port), promotions);
  try {
    assert.equal(await portOf(both), server.port);
    await administer(standby.port, 'postgres', 'SELECT pg_promote()');
    assert.equal(await portOf(both), server.port, 'this process has not seen the promotion');
    assert.equal(await portOf(promoted), standby.port);
    assert.equal(await portOf(both), standby.port);
    await assert.rejects(portOf(former), (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable);
      assert.match(error.message, /is a former primary/u);
      return true;
    });
  } finally {
    for (const pool of [both, former, promoted]) await pool.close();
  }
});
