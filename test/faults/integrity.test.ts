import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tablesAt } from '../../src/process/storage.ts';
import { markRestored } from '../../src/storage/marks.ts';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { administer } from '../../src/testing/postgres/server.ts';
import { aClient, anEvent, OPEN, TENANT, times } from '../../src/testing/storage/stored-examples.ts';
import { storageAt } from '../program/storage-place.ts';
import { integrityOf } from './integrity.ts';

test('the check behind every fault on PostgreSQL: a database that was restored is sound, a hole in its audit or journal is none', async () => {
  const url = await migratedDatabase();
  const recorded = async (): Promise<void> => {
    const storage = await storageAt(url);
    const { audit, clients } = storage.forTenant(TENANT);
    for (const event of times(4, () => anEvent())) await audit.append(event);
    const client = aClient();
    await clients.create(client, OPEN);
    await clients.delete(client, anEvent());
    await storage.close();
  };
  await recorded();
  assert.equal(await integrityOf(url), 'ok');
  const writer = await (await tablesAt(url)).writer();
  try {
    await markRestored(writer, { taken_at: 1, restored_at: 2 }, anEvent({ action: 'storage.restore' }));
  } finally {
    await writer.close();
  }
  await recorded();
  assert.equal(await integrityOf(url), 'ok');
  const { port, pathname } = new URL(url);
  const ask = async (statement: string): Promise<void> =>
    void (await administer(Number(port), pathname.slice(1), statement));
  await ask('DELETE FROM audit_event WHERE sequence = 2');
  assert.equal(await integrityOf(url), 'the audit has a gap');
  await ask('UPDATE tenant_counter SET journal = journal + 1');
  assert.match(await integrityOf(url), /the journal is not counted/);
});
