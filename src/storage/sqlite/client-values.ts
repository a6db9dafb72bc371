import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { StoredClient } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';

/** What may change in a client's life, in the order of the statements' parameters. */
export const changing = (client: StoredClient): SQLInputValue[] => [
  client.version,
  client.issued_at,
  client.registration_token_digest,
  client.registration_token_sealed,
  client.registered_via,
  JSON.stringify(client.secrets),
  client.privileges,
  client.metadata,
  client.data,
  client.shared_digest,
  client.entity_id,
  client.expires_at,
];

export const CHANGING = `version, issued_at, registration_token_digest, registration_token_sealed, registered_via, secrets,
  privileges, metadata, data, shared_digest, entity_id, expires_at`;

export const opened = (registered_via: unknown): 0 | 1 => (registered_via === 'open' ? 1 : 0);

/** Adds to the number of clients that are registered `open`. */
export function openClientCount(database: DatabaseSync): (tenant: TenantId, difference: number) => void {
  const add = database.prepare(`
    INSERT INTO open_client_count (tenant, clients) VALUES (?1, ?2)
    ON CONFLICT (tenant) DO UPDATE SET clients = clients + ?2`);
  return (tenant, difference) => {
    if (difference !== 0) add.run(tenant, difference);
  };
}
