import type { CreateConditions, CreateOutcome, StoredClient } from '../../ports/client-store.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteArguments } from '../write.ts';
import { type Acts, changed, one, TAKE_STEPS, type Transaction, type Values } from './act.ts';
import { RECORDING, record, recorded } from './audit-rows.ts';
import { CREATIONS } from './client-creations.ts';
import { type EndingClient, endClient } from './client-ending.ts';
import { CHANGING, CHANGING_VALUES, clientValues } from './client-rows.ts';
import { JOURNALLING_CLIENT, JOURNALLING_TOKEN, trimJournal } from './journal-rows.ts';
import { Refused, type Row, type Statement, statement } from './statement.ts';

/** Whether there is an initial access token that is still good. */
const USABLE = `coalesce((SELECT used_at IS NULL AND revoked_at IS NULL AND expires_at > :now::bigint
       FROM initial_access_token WHERE tenant = :tenant AND key = :ended_key), :ended_key::text IS NULL)`;

/** Each condition is answered as it was seen; what is written depends on all of them (`may`). */
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
/** Without a token: what a statement might change costs, also where it changes nothing. */
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
   removed AS (DELETE FROM access_token WHERE tenant = :tenant AND key = :ended_key AND EXISTS (SELECT 1 FROM may)),
   counters AS (UPDATE tenant_counter SET audit = audit + 1, journal = journal + 1
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM may) RETURNING audit, journal),
   journalled AS (${JOURNALLING_TOKEN}),
   recorded AS (${RECORDING})
   ${SEEN}`,
);
const creation = ({ initialAccessToken }: CreateConditions): Statement =>
  initialAccessToken === undefined ? CREATE : CREATE_BY_TOKEN;

const REPLACE = statement(
  'client_replace',
  `WITH found AS (SELECT registered_via FROM client WHERE tenant = :tenant AND client_id = :client_id
     AND instance = :instance AND version = :expected),
   counted AS (INSERT INTO open_client_count (tenant, clients)
     SELECT :tenant::text, :more::bigint - CASE WHEN registered_via = 'open' THEN 1 ELSE 0 END FROM found
     WHERE :more::bigint <> CASE WHEN registered_via = 'open' THEN 1 ELSE 0 END
     ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients),
   replaced AS (UPDATE client SET (${CHANGING}) = (${CHANGING_VALUES}) WHERE tenant = :tenant
     AND client_id = :client_id AND instance = :instance AND version = :expected RETURNING client_id),
   counters AS (UPDATE tenant_counter SET journal = journal + 1, audit = audit + :audited::bigint
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM found) RETURNING audit, journal),
   journalled AS (${JOURNALLING_CLIENT}),
   recorded AS (${RECORDING} WHERE :audited::bigint = 1)
   SELECT EXISTS (SELECT 1 FROM found) AS done,
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = :client_id) AS present`,
);
const FIND = statement(
  'client_of_version',
  `SELECT registered_via FROM client
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance AND version = :version`,
);
const OF_ENTITY = statement(
  'client_of_entity',
  'SELECT client_id, instance, registered_via FROM client WHERE tenant = :tenant AND entity_id = :entity_id',
);
const EXISTS = statement(
  'client_exists',
  'SELECT 1 AS present FROM client WHERE tenant = :tenant AND client_id = :client_id',
);
// What is not later than the time that is kept writes nothing.
const RECORD_USE = statement(
  'client_record_use',
  `INSERT INTO client_use (tenant, client_id, instance, secret_digest, last_used_at)
   SELECT tenant, client_id, instance, :secret_digest::text, :last_used_at::bigint FROM client
   WHERE tenant = :tenant AND client_id = :client_id AND instance = :instance
   ON CONFLICT (tenant, client_id, instance, secret_digest) DO UPDATE SET last_used_at = excluded.last_used_at
   WHERE excluded.last_used_at > client_use.last_used_at`,
);

export const CLIENT_ACTS: Acts<'createClient' | 'replaceClient' | 'deleteClient' | 'recordClientUses'> = {
  createClient: {
    turn: true,
    together: CREATIONS,
    async quick(transaction, { tenant, client, conditions }) {
      if (client.entity_id !== null) return TAKE_STEPS;
      const asked = transaction.ask(creation(conditions), creationValues({ tenant, client, conditions }));
      if (conditions.initialAccessToken !== undefined) await trimJournal(transaction, tenant);
      return creationOutcome(await one(asked), conditions);
    },
    async steps(transaction, write) {
      const { tenant, client, conditions } = write;
      const values = creationValues(write);
      const outcome = creationOutcome(await one(transaction.ask(LOOK, values)), conditions);
      if (outcome !== 'created') return outcome;
      await supersede(transaction, tenant, client, conditions);
      return creationOutcome(await one(transaction.ask(creation(conditions), values)), conditions);
    },
  },
  replaceClient: {
    turn: true,
    async quick(transaction, { tenant, client, expectedVersion, event }) {
      const asked = transaction.ask(REPLACE, {
        tenant,
        ...clientValues(client),
        expected: expectedVersion,
        more: client.registered_via === 'open' ? 1 : 0,
        audited: event === undefined ? 0 : 1,
        ...(event === undefined ? NO_EVENT : recorded(event)),
      });
      await trimJournal(transaction, tenant);
      const seen = await one(asked);
      if (seen?.['done'] === true) return 'done';
      return seen?.['present'] === true ? 'changed_meanwhile' : 'absent';
    },
  },
  deleteClient: {
    turn: true,
    async steps(transaction, { tenant, client: { client_id, instance, version }, event }) {
      const place = { tenant, client_id, instance };
      const found = await one(transaction.ask(FIND, { ...place, version }));
      if (found === undefined) {
        const present = await one(transaction.ask(EXISTS, place));
        return present === undefined ? 'absent' : 'changed_meanwhile';
      }
      await endClient(
        transaction,
        tenant,
        { client_id, instance, registered_via: found['registered_via'] },
        event.at,
      );
      await record(transaction, tenant, event);
      return 'done';
    },
  },
  recordClientUses: {
    turn: true,
    async quick(transaction, { tenant, uses }) {
      const asked = uses.map(({ client_id, instance, secret_digest, last_used_at }) =>
        changed(
          transaction.ask(RECORD_USE, {
            tenant,
            client_id,
            instance,
            secret_digest: secret_digest ?? '',
            last_used_at,
          }),
        ),
      );
      await Promise.all(asked);
      return undefined;
    },
  },
};

const NO_EVENT = {
  at: null,
  action: null,
  outcome: null,
  actor: null,
  event_client_id: null,
  request_id: null,
  detail: null,
};

function creationValues({ tenant, client, conditions }: WriteArguments['createClient']): Values {
  const { initialAccessToken, reuseDeletedId, openClientsMax, now, event } = conditions;
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

/** A renewed registration ends the one before it (OpenID Federation 1.0 §12.2.2). */
async function supersede(
  transaction: Transaction,
  tenant: TenantId,
  { entity_id }: StoredClient,
  { now, endEvent }: CreateConditions,
): Promise<void> {
  const found = await one(transaction.ask(OF_ENTITY, { tenant, entity_id }));
  if (found === undefined) return;
  const ended = found as unknown as EndingClient;
  await endClient(transaction, tenant, ended, now);
  if (endEvent !== undefined) await record(transaction, tenant, { ...endEvent, client_id: ended.client_id });
}

/** The first reason against it, in the order in which every engine looks. */
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
