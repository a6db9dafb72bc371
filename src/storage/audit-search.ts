import type { AuditFindings, AuditPlace, AuditSearch, RecordedAuditEvent } from '../ports/audit-log.ts';

/**
 * PostgreSQL cannot index texts of more than 2704 bytes, and a client that was asked for may have a longer name. The schema has
 * this number: another one needs a migration.
 */
const INDEXED_MAX = 500;

/** The condition of an index, which its searches must repeat. */
export function indexed(column: 'sub' | 'client_id' | 'actor'): string {
  return `length(${column}) <= ${INDEXED_MAX}`;
}

const isIndexed = (text: string | undefined): boolean => text !== undefined && text.length <= INDEXED_MAX;

/**
 * The ways into the audit, the most selective first: for each its condition, on a column that leads an index. A search takes
 * the first one that its filter has a value for, and the primary order of times if there is none.
 */
export const AUDIT_INDEXES = {
  request: 'request_id = :request_id',
  subject: `sub = :sub AND ${indexed('sub')}`,
  client: `client_id = :client_id AND ${indexed('client_id')}`,
  address: 'address = :address',
  action: 'action = :action',
  actor: `actor = :actor AND ${indexed('actor')}`,
  refused: "outcome = 'refused'",
  time: '1 = 1',
} as const;

export type AuditIndex = keyof typeof AUDIT_INDEXES;

export const AUDIT_INDEX_NAMES = Object.keys(AUDIT_INDEXES) as readonly AuditIndex[];

export function indexOf({ filter }: AuditSearch): AuditIndex {
  const { request_id, sub, client_id, address, actions, actor, outcome } = filter;
  if (request_id !== undefined) return 'request';
  if (isIndexed(sub)) return 'subject';
  if (isIndexed(client_id)) return 'client';
  if (address !== undefined) return 'address';
  if (actions?.length === 1) return 'action';
  if (isIndexed(actor)) return 'actor';
  return outcome === 'refused' ? 'refused' : 'time';
}

/** The places that a search lies between, as SQL. */
export const BETWEEN_PLACES =
  '(at, sequence) > (:after_at, :after_sequence) AND (at, sequence) < (:before_at, :before_sequence)';

export const AUDIT_ORDERS = {
  'newest-first': 'ORDER BY at DESC, sequence DESC',
  'oldest-first': 'ORDER BY at, sequence',
} as const;

/** The values of the index and of the places. */
export function placeValues({ filter, after, before }: Pick<AuditSearch, 'filter' | 'after' | 'before'>) {
  return {
    request_id: filter.request_id ?? null,
    sub: filter.sub ?? null,
    client_id: filter.client_id ?? null,
    address: filter.address ?? null,
    action: filter.actions?.[0] ?? null,
    actor: filter.actor ?? null,
    after_at: after.at,
    after_sequence: after.sequence,
    before_at: before.at,
    before_sequence: before.sequence,
  };
}

/** Returns the least text that begins with `KIND:`, and the least that is greater than all of these. */
export function labelRange({ actorKind }: AuditSearch['filter']) {
  const none = actorKind === undefined;
  return { actor_from: none ? null : `${actorKind}:`, actor_to: none ? null : `${actorKind};` };
}

/** Returns the search within the events that it may look at. @param edge the last one of them; undefined if there are no more */
export function upTo(search: AuditSearch, edge: AuditPlace | undefined): AuditSearch {
  if (edge === undefined) return search;
  const { at, sequence } = edge;
  return search.order === 'newest-first'
    ? { ...search, after: { at, sequence: sequence - 1 } }
    : { ...search, before: { at, sequence: sequence + 1 } };
}

/** @param edge as for `upTo` */
export function findings(
  { limit }: AuditSearch,
  events: readonly RecordedAuditEvent[],
  edge: AuditPlace | undefined,
): AuditFindings {
  const [last] = events.slice(-1);
  return {
    events,
    next: last !== undefined && events.length === limit ? { at: last.at, sequence: last.sequence } : edge,
  };
}
