import { Client } from 'pg';
import type { Storage } from '../../ports/storage.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { emptyDatabase, openTestDatabase } from '../../testing/postgres/database.ts';
import { staleAnswers } from '../../testing/storage/stale-answers.ts';
import type { Place } from '../../testing/storage/stale-world.ts';
import { TENANT } from '../../testing/storage/stored-examples.ts';

async function place(): Promise<Place> {
  const url = await emptyDatabase();
  const open = () => openTestDatabase(url);
  const retired: Storage[] = [];
  return {
    processes: [open, open],
    retire: (storage) => {
      retired.push(storage);
      return Promise.resolve();
    },
    crash: (client_id) => crash(url, client_id),
    // A caller may be about to send its next request. A server closes its storage when no request is left.
    async remove() {
      for (const storage of retired) await storage.close();
    },
  };
}

staleAnswers('two nodes on one PostgreSQL', place, 1 / 20);

async function crash(url: string, client_id: ClientId): Promise<void> {
  const dying = new Client({ connectionString: url });
  await dying.connect();
  await dying.query('BEGIN');
  await dying.query("SELECT set_config('chancery.tenant', $1, true)", [TENANT]);
  await dying.query('UPDATE tenant_counter SET journal = journal + 1 WHERE tenant = $1', [TENANT]);
  await dying.query(
    `INSERT INTO change_journal (tenant, sequence, kind, subject)
     SELECT tenant, journal, 'client-changed', $2 FROM tenant_counter WHERE tenant = $1`,
    [TENANT, client_id],
  );
  await dying.query('DELETE FROM client WHERE tenant = $1 AND client_id = $2', [TENANT, client_id]);
  await dying.end();
}
