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
  const insert = database.prepare(`
    INSERT INTO client (tenant, client_id, instance, ${CHANGING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const look = circumstances(database);
  const consumption = initialAccessTokenConsumption(database);
  const record = eventRecording(database);

  return ({ tenant, client, conditions }: WriteArguments['createClient']) => {
    const { client_id, instance } = client;
    const { initialAccessToken, reuseDeletedId, openClientsMax, now, event } = conditions;
    if (initialAccessToken !== undefined && !consumption.isUsable(tenant, initialAccessToken, now)) {
      return 'initial_access_token_used';
    }
    const { taken, grave, identical, open } = look(tenant, client);
    if (taken) return 'client_id_taken';
    if (grave !== 'none' && !reuseDeletedId) return 'client_id_deleted';
    if (grave === 'instance') throw new Error('an instance of a deleted client must not be used again');
    if (identical) return 'identical_exists';
    const counts = openClientsMax !== undefined && client.registered_via === 'open';
    if (counts && open >= openClientsMax) return 'open_clients_exhausted';
    if (initialAccessToken !== undefined) consumption.consume(tenant, initialAccessToken, client, now);
    insert.run(tenant, client_id, instance, ...changing(client));
    record(tenant, event);
    return 'created';
  };
}

interface Circumstances {
  readonly taken: boolean;
  /** Whether the id was deleted, and whether with this very instance. */
  readonly grave: 'none' | 'id' | 'instance';
  /** Whether a client with this `shared_digest` is there. */
  readonly identical: boolean;
  /** How many clients are registered `open`. */
  readonly open: number;
}

/** One statement for all: each call into SQLite costs about as much as what it looks up. */
function circumstances(database: DatabaseSync): (tenant: TenantId, client: StoredClient) => Circumstances {
  const select = database.prepare(`
    SELECT EXISTS (SELECT 1 FROM client WHERE tenant = ?1 AND client_id = ?2),
      (SELECT max(instance = ?3) FROM deleted_client WHERE tenant = ?1 AND client_id = ?2),
      EXISTS (SELECT 1 FROM client WHERE tenant = ?1 AND shared_digest = ?4),
      (SELECT clients FROM open_client_count WHERE tenant = ?1)`);
  select.setReturnArrays(true);
  return (tenant, { client_id, instance, shared_digest }) => {
    const row = select.get(tenant, client_id, instance, shared_digest);
    const [taken, same, identical, open] = row as unknown as [number, number | null, number, number | null];
    const grave = same === null ? 'none' : same === 1 ? 'instance' : 'id';
    return { taken: taken === 1, grave, identical: identical === 1, open: open ?? 0 };
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
