import type { TenantId } from '../../spec/identifiers.ts';
import type { WriteArguments } from '../write.ts';
import { one, type Together, type Values } from './act.ts';
import { recorded } from './audit-rows.ts';
import { clientValues } from './client-rows.ts';
import { statement } from './statement.ts';

type Creation = WriteArguments['createClient'];

/** Of the table `client`, with their types. */
const CLIENT: Readonly<Record<string, 'text' | 'bigint'>> = {
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
/** Of the table `audit_event`; `place` is what is added to the number that was the last. */
const EVENT: Readonly<Record<string, 'text' | 'bigint'>> = {
  place: 'bigint',
  at: 'bigint',
  action: 'text',
  outcome: 'text',
  actor: 'text',
  event_client_id: 'text',
  request_id: 'text',
  detail: 'text',
};

const names = (columns: object): string => Object.keys(columns).join(', ');
const lists = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `:${name}::${type}[]`)
    .join(', ');

/** As `client_create` does it for each, where nothing stands against any of them. */
const CREATE_ALL = statement(
  'client_create_all',
  `WITH seen AS (SELECT
     EXISTS (SELECT 1 FROM client WHERE tenant = :tenant AND client_id = ANY(:client_id::text[])) AS taken,
     EXISTS (SELECT 1 FROM deleted_client WHERE tenant = :tenant AND client_id = ANY(:client_id::text[])) AS buried,
     coalesce((SELECT clients FROM open_client_count WHERE tenant = :tenant), 0) AS open_clients),
   may AS (SELECT 1 AS done FROM seen WHERE NOT taken AND NOT buried
     AND (:more::bigint = 0 OR open_clients + :more::bigint <= :open_max::bigint)),
   created AS (INSERT INTO client (tenant, ${names(CLIENT)})
     SELECT :tenant::text, ${names(CLIENT)} FROM unnest(${lists(CLIENT)}) AS asked (${names(CLIENT)})
     WHERE EXISTS (SELECT 1 FROM may)),
   counted AS (INSERT INTO open_client_count (tenant, clients)
     SELECT :tenant::text, :more::bigint FROM may WHERE :more::bigint > 0
     ON CONFLICT (tenant) DO UPDATE SET clients = open_client_count.clients + excluded.clients),
   counters AS (UPDATE tenant_counter SET audit = audit + :many::bigint
     WHERE tenant = :tenant AND EXISTS (SELECT 1 FROM may) RETURNING audit),
   recorded AS (INSERT INTO audit_event (tenant, sequence, at, action, outcome, actor, client_id, request_id, detail)
     SELECT :tenant::text, audit - :many::bigint + place, at, action, outcome, actor, event_client_id, request_id, detail
     FROM counters, unnest(${lists(EVENT)}) AS asked (${names(EVENT)}))
   SELECT EXISTS (SELECT 1 FROM may) AS done`,
);

/** Registrations of one turn that neither use up a token nor are told apart by more than their identifier. */
export const CREATIONS: Together<'createClient'> = {
  fits: (writes) =>
    writes.every(isPlain) && new Set(writes.map(({ client }) => client.client_id)).size === writes.length,
  async try(transaction, writes) {
    const [first] = writes;
    if (first === undefined) return [];
    const seen = await one(transaction.ask(CREATE_ALL, valuesOf(first.tenant, writes)));
    return seen?.['done'] === true ? writes.map(() => 'created' as const) : undefined;
  },
};

const isPlain = ({ client, conditions }: Creation): boolean =>
  client.entity_id === null &&
  client.shared_digest === null &&
  conditions.initialAccessToken === undefined &&
  conditions.endEvent === undefined;

function valuesOf(tenant: TenantId, writes: readonly Creation[]): Values {
  const rows = writes.map(({ client, conditions }, index) => ({
    ...clientValues(client),
    ...recorded(conditions.event),
    place: index + 1,
  }));
  const column = (name: string): readonly (string | null)[] =>
    rows.map((row: Values) => {
      const value = row[name];
      return value === null || value === undefined ? null : String(value);
    });
  const columns = [...Object.keys(CLIENT), ...Object.keys(EVENT)].map(
    (name) => [name, column(name)] as const,
  );
  const open = writes.filter(({ client }) => client.registered_via === 'open');
  const limits = open.map(({ conditions }) => conditions.openClientsMax ?? Number.MAX_SAFE_INTEGER);
  return {
    ...Object.fromEntries(columns),
    tenant,
    many: writes.length,
    more: open.length,
    open_max: Math.min(Number.MAX_SAFE_INTEGER, ...limits),
  };
}
