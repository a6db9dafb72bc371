import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import type { AuditEvent } from '../../ports/audit-log.ts';
import type { CreateConditions, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import type { AccessTokenKey, ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import { tokenEnd } from '../change-rows.ts';
import { accessTokenRemoval } from './access-tokens.ts';
import { eventRecording } from './audit.ts';
import { historyEnding } from './client-versions.ts';
import { journalling } from './journal.ts';

/** The columns that may change during a client's life. */
export const CHANGING = `version, issued_at, registration_token_digest, registration_token_sealed, registered_via, secrets,
  privileges, metadata, data, shared_digest, entity_id, expires_at, document, federation, resolved_at, renew_at, owner`;

/** The values of `CHANGING`, in their order. */
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
  client.document,
  client.federation,
  client.resolved_at,
  client.renew_at,
  client.owner,
];

/** 1 for a client that counts as registered `open`. */
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

export interface EndingClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly registered_via: unknown;
}

/**
 * Ends a client that exists, with everything that belongs to it. The caller records the reason.
 * @param kept the event of a deletion after which the client can be restored
 */
export function clientEnding(
  database: DatabaseSync,
): (tenant: TenantId, client: EndingClient, at: number, kept?: AuditEvent) => void {
  const history = historyEnding(database);
  const remove = database.prepare('DELETE FROM client WHERE tenant = ? AND client_id = ?');
  const removeUses = database.prepare(
    'DELETE FROM client_use WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  const removeConsents = database.prepare(
    'DELETE FROM consent WHERE tenant = ? AND client_id = ? AND instance = ?',
  );
  const keepTombstone = database.prepare(
    'INSERT INTO deleted_client (tenant, client_id, instance, deleted_at) VALUES (?, ?, ?, ?)',
  );
  const noteOrphans = database.prepare(`
    INSERT INTO client_with_orphans SELECT DISTINCT tenant, client_id, client_instance FROM authorization_grant
    WHERE tenant = ? AND client_id = ? AND client_instance = ? ON CONFLICT DO NOTHING`);
  const removeExchanged = database.prepare(`
    DELETE FROM access_token WHERE tenant = ?1 AND key IN
      (SELECT key FROM token_origin WHERE tenant = ?1 AND client_id = ?2 AND client_instance = ?3)
      AND client_instance <> ?3 RETURNING key, expires_at, client_id, sub`);
  const count = openClientCount(database);
  const journal = journalling(database);
  return (tenant, { client_id, instance, registered_via }, at, kept) => {
    history(tenant, { client_id, instance }, kept);
    remove.run(tenant, client_id);
    count(tenant, -opened(registered_via));
    removeUses.run(tenant, client_id, instance);
    noteOrphans.run(tenant, client_id, instance);
    removeConsents.run(tenant, client_id, instance);
    keepTombstone.run(tenant, client_id, instance, at);
    // They come from tokens of this client.
    for (const row of removeExchanged.all(tenant, client_id, instance)) journal(tenant, tokenEnd(row));
    journal(tenant, { kind: 'client-ended', client_id, instance });
  };
}

/** Inserts the row of a client. */
export function clientInsertion(database: DatabaseSync): (tenant: TenantId, client: StoredClient) => void {
  const insert = database.prepare(`
    INSERT INTO client (tenant, client_id, instance, ${CHANGING}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return (tenant, client) => void insert.run(tenant, client.client_id, client.instance, ...changing(client));
}

/** Creates clients. It finds every reason to refuse before it writes anything, so that a refusal leaves nothing behind. */
export function clientCreation(
  database: DatabaseSync,
): (tenant: TenantId, client: StoredClient, conditions: CreateConditions) => CreateOutcome {
  const insert = clientInsertion(database);
  const look = circumstances(database);
  const count = openClientCount(database);
  const consumption = initialAccessTokenConsumption(database);
  const supersede = supersession(database);
  const record = eventRecording(database);

  return (tenant, client, conditions) => {
    const { initialAccessToken, reuseDeletedId, openClientsMax, now, event } = conditions;
    if (initialAccessToken !== undefined && !consumption.isUsable(tenant, initialAccessToken, now)) {
      return 'initial_access_token_used';
    }
    const { taken, tombstone, identical, open } = look(tenant, client);
    if (taken) return 'client_id_taken';
    if (tombstone !== 'none' && !reuseDeletedId) return 'client_id_deleted';
    if (tombstone === 'instance') throw new Error('an instance of a deleted client must not be used again');
    if (identical) return 'identical_exists';
    const more = opened(client.registered_via);
    if (more > 0 && open + more > (openClientsMax ?? Infinity)) return 'open_clients_exhausted';
    if (initialAccessToken !== undefined) consumption.consume(tenant, initialAccessToken, client, now);
    supersede(tenant, client, conditions);
    insert(tenant, client);
    count(tenant, more);
    record(tenant, event);
    return 'created';
  };
}

interface Circumstances {
  readonly taken: boolean;
  /** Whether a client with this id was deleted, and whether it had this instance. */
  readonly tombstone: 'none' | 'id' | 'instance';
  /** Whether a client with this `shared_digest` exists. */
  readonly identical: boolean;
  /** The number of clients that are registered `open`. */
  readonly open: number;
}

/** Looks everything up in one statement: a call into SQLite costs about as much as the look-up itself. */
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
    const tombstone = same === null ? 'none' : same === 1 ? 'instance' : 'id';
    return { taken: taken === 1, tombstone, identical: identical === 1, open: open ?? 0 };
  };
}

/** Ends the registration that a renewed one replaces (OpenID Federation 1.0 §12.2.2). */
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
  /** Ends the token. Its row stays and names the client that descends from it. */
  consume(tenant: TenantId, key: AccessTokenKey, client: StoredClient, now: number): void;
}

function initialAccessTokenConsumption(database: DatabaseSync): Consumption {
  const usable = database.prepare(`
    SELECT 1 FROM initial_access_token
    WHERE tenant = ? AND key = ? AND used_at IS NULL AND revoked_at IS NULL AND expires_at > ?`);
  const use = database.prepare(`
    UPDATE initial_access_token SET used_at = ?, used_by_client_id = ?, used_by_instance = ?
    WHERE tenant = ? AND key = ?`);
  const remove = accessTokenRemoval(database);
  return {
    isUsable: (tenant, key, now) => usable.get(tenant, key, now) !== undefined,
    consume(tenant, key, client, now) {
      use.run(now, client.client_id, client.instance, tenant, key);
      remove(tenant, key);
    },
  };
}
