import type { DatabaseSync } from 'node:sqlite';
import type { ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import { openClientCount, opened } from './client-values.ts';
import { journalling } from './journal-writes.ts';

export interface EndingClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly registered_via: unknown;
}

/** Ends a client that is there, and everything that is its own; the caller records why. */
export function clientEnding(
  database: DatabaseSync,
): (tenant: TenantId, client: EndingClient, at: number) => void {
  const remove = database.prepare('DELETE FROM client WHERE tenant = ? AND client_id = ?');
  const forget = database.prepare(
    'DELETE FROM client_use WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  const forgetConsents = database.prepare(
    'DELETE FROM consent WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  const bury = database.prepare(
    'INSERT INTO deleted_client (tenant, client_id, instance, deleted_at) VALUES (?, ?, ?, ?)',
  );
  const leaveOrphans = database.prepare(`
    INSERT INTO client_with_orphans SELECT DISTINCT tenant, client_id, client_instance FROM authorization_grant
    WHERE tenant = ? AND client_id = ? AND client_instance = ? ON CONFLICT DO NOTHING`);
  const count = openClientCount(database);
  const journal = journalling(database);
  return (tenant, { client_id, instance, registered_via }, at) => {
    remove.run(tenant, client_id);
    count(tenant, -opened(registered_via));
    forget.run(tenant, client_id, instance);
    leaveOrphans.run(tenant, client_id, instance);
    forgetConsents.run(tenant, client_id, instance);
    bury.run(tenant, client_id, instance, at);
    journal(tenant, { kind: 'client-ended', client_id, instance });
  };
}
