import type { ClientLists } from '../../ports/client-lists.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import {
  EVENTS_PER_CLIENT,
  type FollowedEvent,
  followed,
  type ListedVersion,
  listed as listing,
} from '../client-lists.ts';
import type { OfTenant } from '../verbs.ts';
import { asClient, CLIENT_COLUMNS, type ClientRow } from './client-rows.ts';
import { one, type ReadConnections, type Transaction } from './noun.ts';
import { columnNames, type ListedColumns, listed, statement, unnested } from './statement.ts';

const PROGRESS = statement(
  'client_listing_progress',
  `SELECT (SELECT 1 FROM client_listing WHERE tenant = :tenant) IS NOT NULL AS begun,
     (SELECT walked_to FROM client_listing WHERE tenant = :tenant) AS walked_to,
     (SELECT audited FROM client_listing WHERE tenant = :tenant) AS audited,
     coalesce((SELECT audit FROM tenant_counter WHERE tenant = :tenant), 0) AS head`,
);
const EVENTS = statement(
  'client_listing_events',
  `SELECT sequence, action, outcome, client_id FROM audit_event
   WHERE tenant = :tenant AND sequence > :after ORDER BY sequence LIMIT :limit`,
);
const WALK = statement(
  'client_listing_walk',
  'SELECT client_id FROM client WHERE tenant = :tenant AND client_id > :after ORDER BY client_id LIMIT :limit',
);
const KEEP = statement(
  'client_listing_keep',
  `INSERT INTO client_listing (tenant, walked_to, audited) VALUES (:tenant, :walked_to, :audited)
   ON CONFLICT (tenant) DO UPDATE SET walked_to = excluded.walked_to, audited = excluded.audited`,
);
const CLIENTS = statement(
  'client_listing_clients',
  `SELECT ${CLIENT_COLUMNS}, coalesce((SELECT max(last_used_at) FROM client_use AS used WHERE used.tenant = :tenant
     AND used.client_id = client.client_id AND used.instance = client.instance), 0) AS last_used_at
   FROM client WHERE tenant = :tenant AND client_id = ANY(:client_ids::text[])`,
);
const ENTRIES = statement(
  'client_listing_entries',
  `SELECT client_id, instance, version, issued_at, terms FROM client_entry
   WHERE tenant = :tenant AND client_id = ANY(:client_ids::text[])`,
);
const ENTRY: ListedColumns = {
  client_id: 'text',
  instance: 'text',
  version: 'bigint',
  issued_at: 'bigint',
  name: 'text',
  last_used_at: 'bigint',
  secret_expires_at: 'bigint',
  terms: 'text',
};
const WRITE = statement(
  'client_listing_write',
  `INSERT INTO client_entry (tenant, ${columnNames(ENTRY)})
   SELECT :tenant::text, ${columnNames(ENTRY)} FROM ${unnested(ENTRY)}
   ON CONFLICT (tenant, client_id) DO UPDATE SET ${Object.keys(ENTRY)
     .filter((name) => name !== 'client_id')
     .map((name) => `${name} = excluded.${name}`)
     .join(', ')}`,
);
const FORGET = statement(
  'client_listing_forget',
  'DELETE FROM client_entry WHERE tenant = :tenant AND client_id = ANY(:client_ids::text[])',
);
const TERM: ListedColumns = { term: 'text', issued_at: 'bigint', client_id: 'text' };
const ADD_TERMS = statement(
  'client_listing_add_terms',
  `INSERT INTO client_term (tenant, ${columnNames(TERM)})
   SELECT :tenant::text, ${columnNames(TERM)} FROM ${unnested(TERM)} ON CONFLICT DO NOTHING`,
);
const REMOVE_TERMS = statement(
  'client_listing_remove_terms',
  `DELETE FROM client_term WHERE tenant = :tenant AND term = ANY(:terms::text[]) AND issued_at = :issued_at
   AND client_id = :client_id`,
);

/** Events that a question whether lists are behind looks at. */
const EVENTS_ASKED = 500;

interface Progress {
  readonly begun: boolean;
  readonly walked_to: ClientId | null;
  readonly audited: number | null;
  readonly head: number;
}

export function isBehind({ primary }: ReadConnections): OfTenant<ClientLists>['isBehind'] {
  return async (tenant) => {
    const [progress] = await primary.rows<Progress>(tenant, PROGRESS, {});
    if (progress === undefined || progress.audited === null || progress.walked_to !== null) return true;
    const { audited, head } = progress;
    if (audited >= head) return false;
    const values = { after: audited, limit: EVENTS_ASKED };
    const events = await primary.slowRows<FollowedEvent>(tenant, EVENTS, values);
    // Events that were recorded since are after the head.
    const { clients, to } = followed(events, audited, head, EVENTS_ASKED);
    return clients === undefined || clients.length > 0 || to < head;
  };
}

/** Brings the lists up to date, in a transaction that holds the lock of the tenant. */
export async function catchUp(transaction: Transaction, tenant: TenantId, limit: number): Promise<boolean> {
  const progress = (await one(transaction.query(PROGRESS, { tenant }))) as unknown as Progress;
  const { head } = progress;
  const audited = progress.audited ?? head;
  const walked_to = progress.begun ? progress.walked_to : ('' as ClientId);
  const read = await transaction.query(EVENTS, { tenant, after: audited, limit: limit * EVENTS_PER_CLIENT });
  const events = read.rows as unknown as readonly FollowedEvent[];
  const { clients, to } = followed(events, audited, head, limit);
  if (clients === undefined) {
    // Events were swept before the lists had followed them, so any client may have changed.
    await transaction.query(KEEP, { tenant, walked_to: '', audited: head });
    return true;
  }
  const left = limit - clients.length;
  const walked = walked_to === null || left === 0 ? [] : await walk(transaction, tenant, walked_to, left);
  await list(transaction, tenant, [...new Set([...clients, ...walked])]);
  const next =
    walked_to === null ? null : left === 0 ? walked_to : walked.length < left ? null : walked.at(-1);
  await transaction.query(KEEP, { tenant, walked_to: next ?? null, audited: to });
  return (next ?? null) !== null || to < head;
}

async function walk(
  transaction: Transaction,
  tenant: TenantId,
  after: ClientId,
  limit: number,
): Promise<readonly ClientId[]> {
  const { rows } = await transaction.query(WALK, { tenant, after, limit });
  return rows.map(({ client_id }) => client_id as ClientId);
}

interface Entry extends ListedVersion {
  readonly client_id: ClientId;
  readonly issued_at: number;
  readonly terms: string;
}

type UsedRow = ClientRow & { readonly last_used_at: number };

/** Writes clients into the lists as they are now, and takes those out of them that are gone. */
async function list(
  transaction: Transaction,
  tenant: TenantId,
  client_ids: readonly ClientId[],
): Promise<void> {
  if (client_ids.length === 0) return;
  const [found, before] = await Promise.all([
    transaction.query(CLIENTS, { tenant, client_ids }),
    transaction.query(ENTRIES, { tenant, client_ids }),
  ]);
  const rows = found.rows as unknown as readonly UsedRow[];
  const entries = new Map((before.rows as unknown as readonly Entry[]).map((row) => [row.client_id, row]));
  const changed = rows.filter(({ client_id, instance, version }) => {
    const entry = entries.get(client_id);
    return entry?.instance !== instance || entry.version !== version;
  });
  const present = new Set(rows.map(({ client_id }) => client_id));
  const gone = [...entries.values()].filter(({ client_id }) => !present.has(client_id));
  const made = changed.map(entryOf);
  const moved = made.filter(({ client_id, terms, issued_at }) => {
    const entry = entries.get(client_id);
    return entry?.terms !== terms || entry.issued_at !== issued_at;
  });
  const left = [...gone, ...moved.flatMap(({ client_id }) => entries.get(client_id) ?? [])];
  for (const { client_id, issued_at, terms } of left)
    await transaction.query(REMOVE_TERMS, { tenant, client_id, issued_at, terms: termsOf(terms) });
  if (gone.length > 0)
    await transaction.query(FORGET, { tenant, client_ids: gone.map(({ client_id }) => client_id) });
  if (made.length > 0) await transaction.query(WRITE, { tenant, ...listed(ENTRY, made) });
  const added = moved.flatMap(({ client_id, issued_at, terms }) =>
    termsOf(terms).map((term) => ({ term, issued_at, client_id })),
  );
  if (added.length > 0) await transaction.query(ADD_TERMS, { tenant, ...listed(TERM, added) });
}

const termsOf = (text: string): readonly string[] => JSON.parse(text) as readonly string[];

function entryOf({ last_used_at, ...row }: UsedRow) {
  const client = asClient(row);
  const { client_id, instance, version, issued_at } = client;
  const { name, terms, secret_expires_at } = listing(client);
  return {
    client_id,
    instance,
    version,
    issued_at,
    name,
    last_used_at,
    secret_expires_at,
    terms: JSON.stringify(terms),
  };
}
