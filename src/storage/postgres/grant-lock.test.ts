import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { emptyDatabase, openTestDatabase } from '../../testing/postgres/database.ts';
import { openTestRows } from '../../testing/postgres/rows.ts';
import { aClient, aGrant, aTokenOf, NOW, OPEN, TENANT } from '../../testing/storage/stored-examples.ts';

const url = await emptyDatabase();
const storage = await openTestDatabase(url);
const rows = await openTestRows(url);
after(async () => {
  await rows.close();
  await storage.close();
});

/** How many connections to the database wait for a lock of another one. */
const waiting = async (): Promise<number> => {
  const [found] = await rows.ask(
    `SELECT count(*) AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return Number(found?.['waiting']);
};

test('grants that are created in one event-loop turn, while the deletion of their client is not committed yet, wait for it and are swept with it', async () => {
  const { clients, grants } = storage.forTenant(TENANT);
  const [deleted, living] = [aClient(), aClient()];
  await clients.create(deleted, OPEN);
  await clients.create(living, OPEN);
  const made = [deleted, living, deleted].map((client) => aGrant(client, { expires_at: null }));
  // Another process deletes the client, finds no grant of it, and has not committed yet.
  await rows.ask('BEGIN');
  await rows.ask(
    `INSERT INTO tenant_counter (tenant, journal, audit) VALUES (?, 0, 0)
     ON CONFLICT (tenant) DO UPDATE SET journal = tenant_counter.journal`,
    TENANT,
  );
  await rows.ask('DELETE FROM client WHERE tenant = ? AND client_id = ?', TENANT, deleted.client_id);

  const created = Promise.all(made.map((grant) => grants.create(grant, aTokenOf(grant))));
  const over = new AbortController();
  const note = (): void => over.abort();
  created.then(note, note);
  const waited = async (): Promise<boolean> => {
    while (!over.signal.aborted) {
      if ((await waiting()) > 0) return true;
      await sleep(5);
    }
    return false;
  };
  const didWait = await waited();
  await rows.ask('COMMIT');
  await created;
  assert.ok(didWait, 'they were committed beside the deletion, and neither saw the other');

  const found = await Promise.all(made.map(async ({ grant_id }) => await grants.find(grant_id)));
  assert.deepEqual(found, [undefined, made[1], undefined]);
  assert.deepEqual([await grants.sweepExpired(NOW, 100), await grants.sweepExpired(NOW, 100)], [2, 0]);
  const [left] = await rows.ask('SELECT count(*) AS grants FROM authorization_grant');
  assert.equal(Number(left?.['grants']), 1);
});
