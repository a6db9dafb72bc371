import type { DatabaseSync } from 'node:sqlite';
import type { ClientUse, StoredClient } from '../../ports/client-store.ts';
import type { ClientListing } from '../../spec/client-listing.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import {
  EVENTS_PER_CLIENT,
  type FollowedEvent,
  followed,
  type ListedVersion,
  listed,
} from '../client-lists.ts';
import { CLIENT_COLUMNS, storedClient } from './client-rows.ts';

/** How far the lists of a tenant are. */
interface Progress {
  /** The client that the first filling has come to; null if the lists are whole. Undefined before the first step. */
  readonly walked_to: ClientId | null | undefined;
  /** The last event of the audit that the lists have followed. */
  readonly audited: number;
  /** The last event that was ever recorded. */
  readonly head: number;
}

/** Events that a question whether lists are behind looks at. */
const EVENTS_ASKED = 500;

type Follow = (tenant: TenantId, after: number, limit: number) => readonly FollowedEvent[];

function following(database: DatabaseSync): Follow {
  const select = database.prepare(`
    SELECT sequence, action, outcome, client_id FROM audit_event
    WHERE tenant = ? AND sequence > ? ORDER BY sequence LIMIT ?`);
  return (tenant, after, limit) => select.all(tenant, after, limit) as unknown as readonly FollowedEvent[];
}

/** Returns a function that tells how far the lists of a tenant are. */
export function listProgress(
  database: DatabaseSync,
): (tenant: TenantId) => Progress & { readonly behind: boolean } {
  const select = database.prepare('SELECT walked_to, audited FROM client_listing WHERE tenant = ?');
  const head = database.prepare(`
    SELECT max(coalesce((SELECT max(sequence) FROM audit_event WHERE tenant = ?1), 0),
      coalesce((SELECT sequence FROM audit_swept WHERE tenant = ?1), 0)) AS head`);
  const follow = following(database);
  return (tenant) => {
    const found = select.get(tenant) as
      | (Pick<Progress, 'audited'> & { walked_to: ClientId | null })
      | undefined;
    const last = Number(head.get(tenant)?.['head']);
    if (found === undefined) return { walked_to: undefined, audited: last, head: last, behind: true };
    const { walked_to, audited } = found;
    const events = audited < last ? follow(tenant, audited, EVENTS_ASKED) : [];
    const { clients, to } = followed(events, audited, last, EVENTS_ASKED);
    const behind = walked_to !== null || clients === undefined || clients.length > 0 || to < last;
    return { walked_to, audited, head: last, behind };
  };
}

/** Brings the lists up to date for some clients. */
export function catchingUp(database: DatabaseSync): (tenant: TenantId, limit: number) => boolean {
  const progress = listProgress(database);
  const follow = following(database);
  const walk = database.prepare(
    'SELECT client_id FROM client WHERE tenant = ? AND client_id > ? ORDER BY client_id LIMIT ?',
  );
  const keep = database.prepare(`
    INSERT INTO client_listing (tenant, walked_to, audited) VALUES (?, ?, ?)
    ON CONFLICT (tenant) DO UPDATE SET walked_to = excluded.walked_to, audited = excluded.audited`);
  const list = listing(database);
  return (tenant, limit) => {
    const { walked_to = '', audited, head } = progress(tenant);
    const events = follow(tenant, audited, limit * EVENTS_PER_CLIENT);
    const { clients, to } = followed(events, audited, head, limit);
    if (clients === undefined) {
      // Events were swept before the lists had followed them, so any client may have changed.
      keep.run(tenant, '', head);
      return true;
    }
    for (const client_id of clients) list(tenant, client_id);
    const left = limit - clients.length;
    if (walked_to === null || left === 0) {
      keep.run(tenant, walked_to, to);
      return walked_to !== null || to < head;
    }
    const walked = walk.all(tenant, walked_to, left).map(({ client_id }) => client_id as ClientId);
    for (const client_id of walked) list(tenant, client_id);
    const next = walked.length < left ? null : (walked.at(-1) ?? null);
    keep.run(tenant, next, to);
    return next !== null || to < head;
  };
}

interface Entry extends ListedVersion {
  readonly issued_at: number;
  readonly terms: string;
}

/** Writes a client into the lists as it is now, or takes it out of them if it is gone. */
function listing(database: DatabaseSync): (tenant: TenantId, client_id: ClientId) => void {
  const find = database.prepare(`SELECT ${CLIENT_COLUMNS} FROM client WHERE tenant = ? AND client_id = ?`);
  find.setReturnArrays(true);
  const entryOf = database.prepare(
    'SELECT instance, version, issued_at, terms FROM client_entry WHERE tenant = ? AND client_id = ?',
  );
  const forget = database.prepare('DELETE FROM client_entry WHERE tenant = ? AND client_id = ?');
  const write = entryWriting(database);
  const terms = termWriting(database);
  return (tenant, client_id) => {
    const row = find.get(tenant, client_id) as unknown as readonly unknown[] | undefined;
    const entry = entryOf.get(tenant, client_id) as unknown as Entry | undefined;
    if (row === undefined) {
      if (entry === undefined) return;
      terms.remove(tenant, client_id, entry.issued_at, entry.terms);
      forget.run(tenant, client_id);
      return;
    }
    const client = storedClient(row);
    if (entry?.instance === client.instance && entry.version === client.version) return;
    const values = listed(client);
    const next = JSON.stringify(values.terms);
    if (entry?.terms !== next || entry.issued_at !== client.issued_at) {
      if (entry !== undefined) terms.remove(tenant, client_id, entry.issued_at, entry.terms);
      terms.add(tenant, client_id, client.issued_at, next);
    }
    write(tenant, client, values, next);
  };
}

type WriteEntry = (tenant: TenantId, client: StoredClient, values: ClientListing, terms: string) => void;

function entryWriting(database: DatabaseSync): WriteEntry {
  const write = database.prepare(`
    INSERT INTO client_entry (tenant, client_id, instance, version, issued_at, name, secret_expires_at, terms, last_used_at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, coalesce((SELECT max(last_used_at) FROM client_use
      WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3), 0))
    ON CONFLICT (tenant, client_id) DO UPDATE SET instance = excluded.instance, version = excluded.version,
      issued_at = excluded.issued_at, name = excluded.name, secret_expires_at = excluded.secret_expires_at,
      terms = excluded.terms, last_used_at = excluded.last_used_at`);
  return (tenant, { client_id, instance, version, issued_at }, { name, secret_expires_at }, terms) => {
    write.run(tenant, client_id, instance, version, issued_at, name, secret_expires_at, terms);
  };
}

type WriteTerms = (tenant: TenantId, client_id: ClientId, issued_at: number, terms: string) => void;

function termWriting(database: DatabaseSync): { readonly add: WriteTerms; readonly remove: WriteTerms } {
  const add = database.prepare(`
    INSERT INTO client_term (tenant, term, issued_at, client_id) SELECT ?1, value, ?3, ?2 FROM json_each(?4)
    WHERE true ON CONFLICT DO NOTHING`);
  const remove = database.prepare(`
    DELETE FROM client_term WHERE tenant = ?1 AND term IN (SELECT value FROM json_each(?4)) AND issued_at = ?3
      AND client_id = ?2`);
  return {
    add: (tenant, client_id, issued_at, terms) => void add.run(tenant, client_id, issued_at, terms),
    remove: (tenant, client_id, issued_at, terms) => void remove.run(tenant, client_id, issued_at, terms),
  };
}

/** Lists a use of a client that is listed. Another client is listed with its uses. */
export function useListing(database: DatabaseSync): (tenant: TenantId, use: ClientUse) => void {
  const list = database.prepare(`
    UPDATE client_entry SET last_used_at = ?4
    WHERE tenant = ?1 AND client_id = ?2 AND instance = ?3 AND last_used_at < ?4`);
  return (tenant, { client_id, instance, last_used_at }) =>
    void list.run(tenant, client_id, instance, last_used_at);
}
