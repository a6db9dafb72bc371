import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StorageUnavailable } from '../../ports/storage.ts';
import { emptyDatabase } from '../../testing/postgres/database.ts';
import { administer } from '../../testing/postgres/server.ts';
import { times } from '../../testing/storage/stored-examples.ts';
import { openPostgresSchema } from './migrations.ts';
import { openPostgresStorage } from './open.ts';

const DEADLINE_MS = 20_000;
const OPTIONS = { connections_max: 4, deadline_ms: DEADLINE_MS, replica: '' };

test('a database with an old schema is refused unless migration is allowed, and accepted after migrate up', async () => {
  const url = await emptyDatabase();
  const open = () => openPostgresStorage(url, { ...OPTIONS, migrate: false });
  await assert.rejects(open(), (error: unknown) => {
    assert.ok(error instanceof StorageUnavailable);
    assert.match(error.message, /run chancery migrate up/u);
    return true;
  });
  const schema = openPostgresSchema(url, DEADLINE_MS);
  assert.equal((await schema.state()).version, 0);
  const pending = await schema.pending();
  assert.ok(pending.length > 0);
  assert.deepEqual(await schema.up(1), pending);
  assert.deepEqual(await schema.pending(), []);
  assert.equal((await schema.state()).version, pending.length);
  assert.deepEqual(await schema.up(2), []);
  await schema.close();
  const storage = await open();
  await storage.ready();
  await storage.close();
});

test('of eight nodes that start at once on an empty database one migrates, and all of them serve', async () => {
  const url = await emptyDatabase();
  const storages = await Promise.all(times(8, () => openPostgresStorage(url, { ...OPTIONS, migrate: true })));
  await Promise.all(storages.map((storage) => storage.ready()));
  await Promise.all(storages.map((storage) => storage.close()));
});

test('a database that a newer program has migrated is refused, unless the migration says that it suits (ADR 24)', async () => {
  const url = await emptyDatabase();
  const schema = openPostgresSchema(url, DEADLINE_MS);
  await schema.up(1);
  const { port, pathname } = new URL(url.replace('postgres:', 'http:'));
  await administer(
    Number(port),
    pathname.slice(1),
    "INSERT INTO schema_migration (version, name, applied_at) VALUES (1000, 'of tomorrow', 0)",
  );
  assert.deepEqual(await schema.state(), { version: 1000, compatibleFrom: 1000 });
  await assert.rejects(schema.pending(), /start the newer program/u);
  await assert.rejects(openPostgresStorage(url, { ...OPTIONS, migrate: true }), /start the newer program/u);
  await administer(
    Number(port),
    pathname.slice(1),
    `INSERT INTO schema_compatibility (version, compatible_from) VALUES (1000, ${schema.newest})`,
  );
  assert.deepEqual(await schema.pending(), []);
  assert.deepEqual(await schema.up(2), []);
  await (await openPostgresStorage(url, { ...OPTIONS, migrate: true })).close();
  await schema.close();
});
