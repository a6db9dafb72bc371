import type { AuditEvent } from '../../ports/audit-log.ts';
import type { ClientStore, CreateConditions, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import type { ClientId, ClientInstance, TenantId } from '../../spec/identifiers.ts';
import type { OfTenant, ValuesOf } from '../verbs.ts';
import { RECORDING, record, recorded } from './audit.ts';
import { endHistory } from './client-versions.ts';
import {
  appendToJournal,
  ENDED_TOKEN,
  JOURNALLING_REMOVED,
  JOURNALLING_TOKEN,
  trimJournal,
} from './journal.ts';
import { type Bulk, GO_INTERACTIVE, one, type PostgresWrite, type Transaction, type Values } from './noun.ts';
import {
  columnNames,
  type ListedColumns,
  listed,
  Refused,
  type Row,
  type Statement,
  statement,
  unnested,
} from './statement.ts';

/** The columns that may change during a client's life. */
export const CHANGING = `version, issued_at, registration_token_digest, registration_token_sealed, registered_via, secrets,
  privileges, metadata, data, shared_digest, entity_id, expires_at, document, federation, resolved_at, renew_at, owner`;
export const CHANGING_VALUES = `:version::bigint, :issued_at::bigint, :registration_token_digest::text,
  :registration_token_sealed::text, :registered_via::text, :secrets::text, :privileges::text, :metadata::text,
  :data::text, :shared_digest::text, :entity_id::text, :expires_at::bigint, :document::text,
  :federation::text, :resolved_at::bigint, :renew_at::bigint, :owner::text`;

export const clientValues = (client: StoredClient): Values => ({
  ...client,
  secrets: JSON.stringify(client.secrets),
});

const REMOVE = statement(
  'client_remove',
  'DELETE FROM client WHERE tenant = :tenant AND client_id = :client_id',
);
const UNCOUNT = statement(
  'client_uncount',
  'UPDATE open_client_count SET clients = clients - 1 WHERE tenant = :tenant',
);
const REMOVE_USES = statement(
  'client_remove_uses',
  'DELETE FROM client_use WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const REMOVE_CONSENTS = statement(
  'client_remove_consents',
  'DELETE FROM consent WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance',
);
const NOTE_ORPHANS = statement(
  'client_note_orphans',
  `INSERT INTO client_with_orphans (tenant, client_id, instance)
   SELECT DISTINCT tenant, client_id, client_instance FROM authorization_grant
   WHERE tenant = :tenant AND client_id = :client_id AND client_instance = :instance
   ON CONFLICT DO NOTHING`,
);
const KEEP_TOMBSTONE = statement(
  'client_keep_tombstone',
  `INSERT INTO deleted_client (tenant, client_id, instance, deleted_at)
   VALUES (:tenant, :client_id, :instance, :deleted_at)`,
);

/** Removes the tokens of other clients that come from tokens of a client, and journals each end. */
const END_EXCHANGED = statement(
  'client_end_exchanged',
  `WITH removed AS (DELETE FROM access_token WHERE tenant = :tenant AND key = ANY(ARRAY(
       SELECT origin.key FROM token_origin AS origin WHERE origin.tenant = :tenant
         AND origin.client_id = :client_id AND origin.client_instance = :instance))
       AND client_instance <> :instance RETURNING ${ENDED_TOKEN}),
   counters AS (
     UPDATE tenant_counter SET journal = journal + (SELECT count(*) FROM removed)
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM removed) RETURNING journal)
   ${JOURNALLING_REMOVED}`,
);

export interface EndingClient {
  readonly client_id: ClientId;
  readonly instance: ClientInstance;
  readonly registered_via: unknown;
}

/**
 * Ends a client that exists, with everything that belongs to it. The caller records the reason.
 * @param kept the event of a deletion after which the client can be restored
 */
export async function endClient(
  transaction: Transaction,
  tenant: TenantId,
  { client_id, instance, registered_via }: EndingClient,
  at: number,
  kept?: AuditEvent,
): Promise<void> {
  const place = { tenant, client_id, instance };
  await endHistory(transaction, place, kept);
  if (registered_via === 'open') await transaction.query(UNCOUNT, place);
  for (const step of [REMOVE, REMOVE_USES, NOTE_ORPHANS, REMOVE_CONSENTS, END_EXCHANGED])
    await transaction.query(step, place);
  await transaction.query(KEEP_TOMBSTONE, { ...place, deleted_at: at });
  await appendToJournal(transaction, tenant, { kind: 'client-ended', client_id, instance });
}

type Create = OfTenant<ClientStore>['create'];

/** Whether the initial access token is still good; true if the registration has none. */
const USABLE = `coalesce((SELECT used_at IS NULL AND revoked_at IS NULL AND expires_at > :now::bigint
       FROM initial_access_token WHERE tenant = :tenant AND key = :ended_key), :ended_key::text IS NULL)`;

/** Returns each condition as the statement saw it. Every write depends on all of them (`may`). */
const circumstances = (usable: string): string => `seen AS (SELECT
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = :client_id) AS taken,
     EXISTS (SELECT 1 FROM deleted_client WHERE tenant = :tenant AND client_id = :client_id) AS buried,
     EXISTS (SELECT 1 FROM deleted_client WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance)
       AS buried_instance,
     :shared_digest::text IS NOT NULL AND EXISTS (
       SELECT 1 FROM client WHERE tenant = :tenant AND shared_digest = :shared_digest) AS identical,
     coalesce((SELECT clients FROM open_client_count WHERE tenant = :tenant), 0) AS open_clients,
     ${usable} AS usable),
   may AS (SELECT 1 AS done FROM seen WHERE NOT taken AND (NOT buried OR :reuse::bigint = 1) AND NOT buried_instance
     AND NOT identical AND (:more::bigint = 0 OR open_clients + :more::bigint <= :open_max::bigint) AND usable)`;
const SEEN =
  'SELECT taken, buried, buried_instance, identical, usable, EXISTS (SELECT 1 FROM may) AS done FROM seen';
const CREATED = `created AS (INSERT INTO client (tenant, client_id, instance, ${CHANGING})
     SELECT :tenant::text, :client_id::text, :instance::text, ${CHANGING_VALUES} FROM may),
   counted AS (INSERT INTO open_client_count (tenant, clients)
     SELECT :tenant::text, :more::bigint FROM may WHERE :more::bigint > 0
     ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients)`;
const LOOK = statement('client_look', `WITH ${circumstances(USABLE)} ${SEEN}`);
/** Without a token. A statement pays for the tables that it might change, even if it changes nothing. */
const CREATE = statement(
  'client_create',
  `WITH ${circumstances('1 = 1')},
   ${CREATED},
   counters AS (UPDATE tenant_counter SET audit = audit + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM may) RETURNING audit),
   recorded AS (${RECORDING})
   ${SEEN}`,
);
const CREATE_BY_TOKEN = statement(
  'client_create_by_token',
  `WITH ${circumstances(USABLE)},
   ${CREATED},
   used AS (UPDATE initial_access_token SET used_at = :now, used_by_client_id = :client_id, used_by_instance = :instance
     WHERE tenant = :tenant AND key = :ended_key AND EXISTS (SELECT 1 FROM may)),
   removed AS (DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key AND EXISTS (SELECT 1 FROM may)
     RETURNING ${ENDED_TOKEN}),
   counters AS (UPDATE tenant_counter SET audit = audit + 1, journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM may) RETURNING audit, journal),
   journalled AS (${JOURNALLING_TOKEN}),
   recorded AS (${RECORDING})
   ${SEEN}`,
);
const creation = ({ initialAccessToken }: CreateConditions): Statement =>
  initialAccessToken === undefined ? CREATE : CREATE_BY_TOKEN;

const OF_ENTITY = statement(
  'client_of_entity',
  'SELECT client_id, instance, registered_via FROM client WHERE tenant = :tenant AND entity_id = :entity_id',
);
const CLIENT: ListedColumns = {
  client_id: 'text',
  instance: 'text',
  version: 'bigint',
  issued_at: 'bigint',
  registration_token_digest: 'text',
  registration_token_sealed: 'text',
  registered_via: 'text',
  secrets: 'text',
  privileges: 'text',
  metadata: 'text',
  data: 'text',
  expires_at: 'bigint',
  document: 'text',
  federation: 'text',
  resolved_at: 'bigint',
  renew_at: 'bigint',
  owner: 'text',
};
/** `place` is added to the number of the last event before the batch. */
const EVENT: ListedColumns = {
  place: 'bigint',
  at: 'bigint',
  action: 'text',
  outcome: 'text',
  actor: 'text',
  event_client_id: 'text',
  request_id: 'text',
  detail: 'text',
  event_reason: 'text',
};

/** Does what `client_create` does, for many clients, if there is no reason to refuse any of them. */
const CREATE_ALL = statement(
  'client_create_all',
  `WITH seen AS (SELECT
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = ANY(:client_id::text[])) AS taken,
     EXISTS (SELECT 1 FROM deleted_client WHERE tenant = :tenant AND client_id = ANY(:client_id::text[])) AS buried,
     coalesce((SELECT clients FROM open_client_count WHERE tenant = :tenant), 0) AS open_clients),
   may AS (SELECT 1 AS done FROM seen WHERE NOT taken AND NOT buried
     AND (:more::bigint = 0 OR open_clients + :more::bigint <= :open_max::bigint)),
   created AS (INSERT INTO client (tenant, ${columnNames(CLIENT)})
     SELECT :tenant::text, ${columnNames(CLIENT)} FROM ${unnested(CLIENT)} WHERE EXISTS (SELECT 1 FROM may)),
   counted AS (INSERT INTO open_client_count (tenant, clients)
     SELECT :tenant::text, :more::bigint FROM may WHERE :more::bigint > 0
     ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients),
   counters AS (UPDATE tenant_counter SET audit = audit + :many::bigint
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM may) RETURNING audit),
   recorded AS (INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail,
       reason)
     SELECT :tenant::text, audit - :many::bigint + place, at, action, outcome, actor, event_client_id, request_id, detail,
       event_reason
     FROM counters, ${unnested(EVENT)})
   SELECT EXISTS (SELECT 1 FROM may) AS done`,
);

/** Creates clients that use no initial access token and are unique in nothing but their identifier. */
const CREATIONS: Bulk<Create> = {
  fits: (writes) =>
    writes.every(isPlain) && new Set(writes.map(([, client]) => client.client_id)).size === writes.length,
  async try(transaction, tenant, writes) {
    const open = writes.filter(([, client]) => client.registered_via === 'open');
    const limits = open.map(([, , conditions]) => conditions.openClientsMax ?? Number.MAX_SAFE_INTEGER);
    const clients = writes.map(([, client]) => clientValues(client));
    const events = writes.map(([, , conditions], index) => ({
      ...recorded(conditions.event),
      place: index + 1,
    }));
    const seen = await one(
      transaction.query(CREATE_ALL, {
        tenant,
        ...listed(CLIENT, clients),
        ...listed(EVENT, events),
        many: writes.length,
        more: open.length,
        open_max: Math.min(Number.MAX_SAFE_INTEGER, ...limits),
      }),
    );
    return seen?.['done'] === true ? writes.map(() => 'created' as const) : undefined;
  },
};

const isPlain = ([, client, conditions]: ValuesOf<Create>): boolean =>
  client.entity_id === null &&
  client.shared_digest === null &&
  conditions.initialAccessToken === undefined &&
  conditions.endEvent === undefined;

export const clientCreation: PostgresWrite<Create> = {
  locksTenant: true,
  bulk: CREATIONS,
  async pipelined(transaction, tenant, client, conditions) {
    if (client.entity_id !== null) return GO_INTERACTIVE;
    const created = transaction.query(creation(conditions), creationValues(tenant, client, conditions));
    if (conditions.initialAccessToken !== undefined) await trimJournal(transaction, tenant);
    return creationOutcome(await one(created), conditions);
  },
  async interactive(transaction, tenant, client, conditions) {
    const values = creationValues(tenant, client, conditions);
    const outcome = creationOutcome(await one(transaction.query(LOOK, values)), conditions);
    if (outcome !== 'created') return outcome;
    await supersede(transaction, tenant, client, conditions);
    return creationOutcome(await one(transaction.query(creation(conditions), values)), conditions);
  },
};

function creationValues(
  tenant: TenantId,
  client: StoredClient,
  { initialAccessToken, reuseDeletedId, openClientsMax, now, event }: CreateConditions,
): Values {
  return {
    tenant,
    ...clientValues(client),
    now,
    ended_key: initialAccessToken ?? null,
    reuse: reuseDeletedId ? 1 : 0,
    more: client.registered_via === 'open' ? 1 : 0,
    open_max: openClientsMax ?? Number.MAX_SAFE_INTEGER,
    ...recorded(event),
  };
}

/** Ends the registration that a renewed one replaces (OpenID Federation 1.0 §12.2.2). */
async function supersede(
  transaction: Transaction,
  tenant: TenantId,
  { entity_id }: StoredClient,
  { now, endEvent }: CreateConditions,
): Promise<void> {
  const found = await one(transaction.query(OF_ENTITY, { tenant, entity_id }));
  if (found === undefined) return;
  const ended = found as unknown as EndingClient;
  await endClient(transaction, tenant, ended, now);
  if (endEvent !== undefined) await record(transaction, tenant, { ...endEvent, client_id: ended.client_id });
}

/** Returns the first reason to refuse, in the order that all engines share. */
function creationOutcome(
  seen: Row | undefined,
  { initialAccessToken, reuseDeletedId }: CreateConditions,
): CreateOutcome {
  if (seen === undefined) throw new Error('the conditions of a registration were not answered');
  if (initialAccessToken !== undefined && seen['usable'] !== true) return 'initial_access_token_used';
  if (seen['taken'] === true) return 'client_id_taken';
  if (seen['buried'] === true && !reuseDeletedId) return 'client_id_deleted';
  if (seen['buried_instance'] === true) {
    throw new Refused('an instance of a deleted client must not be used again');
  }
  if (seen['identical'] === true) return 'identical_exists';
  return seen['done'] === true ? 'created' : 'open_clients_exhausted';
}
