import type { WriteArguments } from '../write.ts';
import { one, type Together } from './act.ts';
import { recorded } from './audit-rows.ts';
import { clientValues } from './client-rows.ts';
import { columnNames, type ListedColumns, listed, unnested } from './row-lists.ts';
import { statement } from './statement.ts';

type Creation = WriteArguments['createClient'];

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
};
/** `place` is what is added to the number of the last event before. */
const EVENT: ListedColumns = {
  place: 'bigint',
  at: 'bigint',
  action: 'text',
  outcome: 'text',
  actor: 'text',
  event_client_id: 'text',
  request_id: 'text',
  detail: 'text',
};

/** As `client_create` does it for each, where nothing stands against any of them. */
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
   recorded AS (INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
     SELECT :tenant::text, audit - :many::bigint + place, at, action, outcome, actor, event_client_id, request_id, detail
     FROM counters, ${unnested(EVENT)})
   SELECT EXISTS (SELECT 1 FROM may) AS done`,
);

/** Registrations that neither use up a token nor are told apart by more than their identifier. */
export const CREATIONS: Together<'createClient'> = {
  fits: (writes) =>
    writes.every(isPlain) && new Set(writes.map(({ client }) => client.client_id)).size === writes.length,
  async try(transaction, tenant, writes) {
    const open = writes.filter(({ client }) => client.registered_via === 'open');
    const limits = open.map(({ conditions }) => conditions.openClientsMax ?? Number.MAX_SAFE_INTEGER);
    const clients = writes.map(({ client }) => clientValues(client));
    const events = writes.map(({ conditions }, index) => ({
      ...recorded(conditions.event),
      place: index + 1,
    }));
    const seen = await one(
      transaction.ask(CREATE_ALL, {
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

const isPlain = ({ client, conditions }: Creation): boolean =>
  client.entity_id === null &&
  client.shared_digest === null &&
  conditions.initialAccessToken === undefined &&
  conditions.endEvent === undefined;
