import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyDatabase } from '../../testing/postgres/database.ts';
import { Connection } from './connection.ts';
import { parseDatabaseUrl } from './database-url.ts';
import { migrate, NEWEST, openPostgresSchema } from './migrations.ts';

const DEADLINE_MS = 20_000;

test('a migration whose process vanishes at any of its round trips has changed nothing, and is done by the next one (F30)', async () => {
  const url = await emptyDatabase();
  const database = parseDatabaseUrl(url);
  const [host] = database.hosts;
  assert.ok(host !== undefined);
  const schema = openPostgresSchema(url, DEADLINE_MS);
  let place = 0;
  for (let version = 0; version === 0; ) {
    place += 1;
    const connection = await Connection.open(database, host, {
      deadline_ms: DEADLINE_MS,
      writable: true,
      until: performance.now() + DEADLINE_MS,
    });
    let asked = 0;
    const vanishing = {
      async execute(...statements: Parameters<Connection['execute']>) {
        asked += 1;
        if (asked !== place) return await connection.execute(...statements);
        // The statements were sent; their results are never read.
        const lost = connection.execute(...statements);
        connection.destroy();
        await lost;
        throw new Error('the process has vanished');
      },
    };
    await migrate(vanishing as Connection, 1).catch(() => undefined);
    connection.destroy();
    version = (await schema.state()).version;
    assert.ok(version === 0 || version === NEWEST, `half of it is there after round trip ${place}`);
  }
  assert.ok(place > 6, `${place} round trips`);
  await schema.up(2);
  assert.equal((await schema.state()).version, NEWEST);
  await schema.close();
});
