import type { DatabaseSync } from 'node:sqlite';
import type { ChangeOutcome } from '../../ports/client-store.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import { clientCreation } from './client-creation.ts';
import { clientEnding } from './client-ending.ts';
import { CHANGING, changing, openClientCount, opened } from './client-values.ts';
import { journalling } from './journal-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

type ClientWrites = Pick<WriteHandlers, 'createClient' | 'replaceClient' | 'deleteClient'>;

export function clientWrites(database: DatabaseSync): ClientWrites {
  const exists = database.prepare('SELECT 1 FROM client WHERE tenant = ? AND client_id = ?');
  // The instance too: a deleted and re-created id may have come to the same version.
  const find = database.prepare(`
    SELECT registered_via FROM client WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?`);
  const update = database.prepare(`
    UPDATE client SET (${CHANGING}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    WHERE tenant = ? AND client_id = ?`);
  const end = clientEnding(database);
  const count = openClientCount(database);
  const record = eventRecording(database);
  const journal = journalling(database);
  const lost = (tenant: TenantId, client_id: ClientId): ChangeOutcome =>
    exists.get(tenant, client_id) === undefined ? 'absent' : 'changed_meanwhile';

  return {
    createClient: clientCreation(database),
    replaceClient({ tenant, client, expectedVersion, event }) {
      const { client_id, instance } = client;
      const found = find.get(tenant, client_id, instance, expectedVersion);
      if (found === undefined) return lost(tenant, client_id);
      update.run(...changing(client), tenant, client_id);
      count(tenant, opened(client.registered_via) - opened(found['registered_via']));
      journal(tenant, { kind: 'client-changed', client_id });
      if (event !== undefined) record(tenant, event);
      return 'done';
    },
    deleteClient({ tenant, client: { client_id, instance, version }, event }) {
      const found = find.get(tenant, client_id, instance, version);
      if (found === undefined) return lost(tenant, client_id);
      end(tenant, { client_id, instance, registered_via: found['registered_via'] }, event.at);
      record(tenant, event);
      return 'done';
    },
  };
}
