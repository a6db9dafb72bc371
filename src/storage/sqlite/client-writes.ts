import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { ChangeOutcome, StoredClient } from '../../ports/client-store.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import { eventRecording } from './audit-writes.ts';
import type { WriteArguments, WriteHandlers } from './write.ts';

type ClientWrites = Pick<WriteHandlers, 'createClient' | 'replaceClient' | 'deleteClient'>;

/** What may change in a client's life, in the order of the statements' parameters. */
const changing = (client: StoredClient): SQLInputValue[] => [
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
];

const CHANGING = `version, issued_at, registration_token_digest, registration_token_sealed, registered_via, secrets,
  privileges, metadata, data, shared_digest`;

export function clientWrites(database: DatabaseSync): ClientWrites {
  const exists = database.prepare('SELECT 1 FROM client WHERE tenant = ? AND client_id = ?');
  const update = database.prepare(`
    UPDATE client SET (${CHANGING}) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?`);
  const remove = database.prepare(
    'DELETE FROM client WHERE tenant = ? AND client_id = ? AND instance = ? AND version = ?',
  );
  const forget = database.prepare(
    'DELETE FROM client_use WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  const bury = database.prepare(
    'INSERT INTO deleted_client (tenant, client_id, instance, deleted_at) VALUES (?, ?, ?, ?)',
  );
  const record = eventRecording(database);
  const lost = (tenant: TenantId, client_id: ClientId): ChangeOutcome =>
    exists.get(tenant, client_id) === undefined ? 'absent' : 'changed_meanwhile';

  return {
    createClient: clientCreation(database),
    replaceClient({ tenant, client, expectedVersion, event }) {
      const { client_id, instance } = client;
      // The instance too: a deleted and re-created id may have come to the same version.
      const { changes } = update.run(...changing(client), tenant, client_id, instance, expectedVersion);
      if (changes !== 1) return lost(tenant, client_id);
      if (event !== undefined) record(tenant, event);
      return 'done';
    },
    deleteClient({ tenant, client: { client_id, instance, version }, event }) {
      if (remove.run(tenant, client_id, instance, version).changes !== 1) return lost(tenant, client_id);
      forget.run(tenant, client_id, instance);
      bury.run(tenant, client_id, instance, event.at);
      record(tenant, event);
      return 'done';
    },
  };
}

/** Refusals are found before anything is written, so that they leave nothing behind. */
function clientCreation(database: DatabaseSync): WriteHandlers['createClient'] {
  const exists = database.prepare('SELECT 1 FROM client WHERE tenant = ? AND client_id = ?');
  const insert = database.prepare(`
    INSERT INTO client (tenant, client_id, instance, ${CHANGING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // NULL: never deleted; 1: deleted with this very instance.
  const grave = database.prepare(
    'SELECT max(instance = ?) AS same FROM deleted_client WHERE tenant = ? AND client_id = ?',
  );
  const consumption = initialAccessTokenConsumption(database);
  const crowding = openCrowding(database);
  const record = eventRecording(database);

  return ({ tenant, client, conditions }: WriteArguments['createClient']) => {
    const { client_id, instance } = client;
    const { initialAccessToken, reuseDeletedId, openClientsMax, now, event } = conditions;
    if (initialAccessToken !== undefined && !consumption.isUsable(tenant, initialAccessToken, now)) {
      return 'initial_access_token_used';
    }
    if (exists.get(tenant, client_id) !== undefined) return 'client_id_taken';
    const same = grave.get(instance, tenant, client_id)?.['same'] ?? null;
    if (same !== null && !reuseDeletedId) return 'client_id_deleted';
    if (same === 1) throw new Error('an instance of a deleted client must not be used again');
    if (crowding.hasIdentical(tenant, client)) return 'identical_exists';
    if (crowding.isFull(tenant, client, openClientsMax)) return 'open_clients_exhausted';
    if (initialAccessToken !== undefined) consumption.consume(tenant, initialAccessToken, client, now);
    insert.run(tenant, client_id, instance, ...changing(client));
    record(tenant, event);
    return 'created';
  };
}

interface Crowding {
  hasIdentical(tenant: TenantId, client: StoredClient): boolean;
  isFull(tenant: TenantId, client: StoredClient, openClientsMax: number | undefined): boolean;
}

function openCrowding(database: DatabaseSync): Crowding {
  const identical = database.prepare(
    'SELECT 1 FROM client INDEXED BY client_shared WHERE tenant = ? AND shared_digest = ?',
  );
  const full = database.prepare('SELECT 1 FROM open_client_count WHERE tenant = ? AND clients >= ?');
  return {
    hasIdentical: (tenant, { shared_digest }) =>
      shared_digest !== null && identical.get(tenant, shared_digest) !== undefined,
    isFull: (tenant, { registered_via }, openClientsMax) =>
      openClientsMax !== undefined &&
      registered_via === 'open' &&
      (openClientsMax < 1 || full.get(tenant, openClientsMax) !== undefined),
  };
}

interface Consumption {
  isUsable(tenant: TenantId, key: string, now: number): boolean;
  /** From now on introspection answers inactive; the row stays, with the client that descends from it. */
  consume(tenant: TenantId, key: string, client: StoredClient, now: number): void;
}

function initialAccessTokenConsumption(database: DatabaseSync): Consumption {
  const usable = database.prepare(`
    SELECT 1 FROM initial_access_token
    WHERE tenant = ? AND key = ? AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?`);
  const use = database.prepare(`
    UPDATE initial_access_token SET used_at = ?, used_by_client_id = ?, used_by_instance = ?
    WHERE tenant = ? AND key = ?`);
  const remove = database.prepare('DELETE FROM access_token WHERE tenant = ? AND key = ?');
  return {
    isUsable: (tenant, key, now) => usable.get(tenant, key, now) !== undefined,
    consume(tenant, key, client, now) {
      use.run(now, client.client_id, client.instance, tenant, key);
      remove.run(tenant, key);
    },
  };
}
