import type { DatabaseSync } from 'node:sqlite';
import type { CreateConditions, StoredClient } from '../../ports/client-store.ts';
import type { AccessTokenKey, TenantId } from '../../spec/identifiers.ts';
import type { WriteArguments } from '../write.ts';
import { eventRecording } from './audit-writes.ts';
import { clientEnding, type EndingClient } from './client-ending.ts';
import { CHANGING, changing, openClientCount, opened } from './client-values.ts';
import { journalling } from './journal-writes.ts';
import type { WriteHandlers } from './write-handlers.ts';

/** Refusals are found before anything is written, so that they leave nothing behind. */
export function clientCreation(database: DatabaseSync): WriteHandlers['createClient'] {
  const insert = database.prepare(`
    INSERT INTO client (tenant, client_id, instance, ${CHANGING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const look = circumstances(database);
  const count = openClientCount(database);
  const consumption = initialAccessTokenConsumption(database);
  const supersede = supersession(database);
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
    const more = opened(client.registered_via);
    if (more > 0 && open + more > (openClientsMax ?? Infinity)) return 'open_clients_exhausted';
    if (initialAccessToken !== undefined) consumption.consume(tenant, initialAccessToken, client, now);
    supersede(tenant, client, conditions);
    insert.run(tenant, client_id, instance, ...changing(client));
    count(tenant, more);
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

/** A renewed registration ends the one before it (OpenID Federation 1.0 §12.2.2). */
function supersession(
  database: DatabaseSync,
): (tenant: TenantId, client: StoredClient, conditions: CreateConditions) => void {
  const find = database.prepare(`
    SELECT client_id, instance, registered_via FROM client INDEXED BY client_entity
    WHERE tenant = ? AND entity_id = ?`);
  const end = clientEnding(database);
  const record = eventRecording(database);
  return (tenant, { entity_id }, { now, endEvent }) => {
    const found = entity_id === null ? undefined : find.get(tenant, entity_id);
    if (found === undefined) return;
    const ended = { ...found } as unknown as EndingClient;
    end(tenant, ended, now);
    if (endEvent !== undefined) record(tenant, { ...endEvent, client_id: ended.client_id });
  };
}

interface Consumption {
  isUsable(tenant: TenantId, key: AccessTokenKey, now: number): boolean;
  /** From now on introspection answers inactive; the row stays, with the client that descends from it. */
  consume(tenant: TenantId, key: AccessTokenKey, client: StoredClient, now: number): void;
}

function initialAccessTokenConsumption(database: DatabaseSync): Consumption {
  const usable = database.prepare(`
    SELECT 1 FROM initial_access_token
    WHERE tenant = ? AND key = ? AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?`);
  const use = database.prepare(`
    UPDATE initial_access_token SET used_at = ?, used_by_client_id = ?, used_by_instance = ?
    WHERE tenant = ? AND key = ?`);
  const remove = database.prepare('DELETE FROM access_token WHERE tenant = ? AND key = ?');
  const journal = journalling(database);
  return {
    isUsable: (tenant, key, now) => usable.get(tenant, key, now) !== undefined,
    consume(tenant, key, client, now) {
      use.run(now, client.client_id, client.instance, tenant, key);
      remove.run(tenant, key);
      journal(tenant, { kind: 'access-token-ended', key });
    },
  };
}
