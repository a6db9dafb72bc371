import type { RecordedAuditEvent } from '../ports/audit-log.ts';
import { type ClientCriteria, type ClientSort, TERMS_MAX } from '../ports/client-lists.ts';
import type { StoredClient } from '../ports/client-store.ts';
import { type ClientListing, listingOf } from '../spec/client-listing.ts';
import type { ClientId, ClientInstance } from '../spec/identifiers.ts';

/** An order in which clients can be visited. Each has an index that begins with the tenant. */
export type Driver = 'id' | 'name' | 'created' | 'used' | 'secretEnd' | 'end' | 'term';

interface DriverTable {
  readonly table: 'client_entry' | 'client_term' | 'client';
  /** The column that the order is by, before `client_id`. */
  readonly key: string | undefined;
  /** SQLite reads this index. */
  readonly index: string | undefined;
  /** Columns of an entry that stand in the index. Another column costs a look-up of the row for each visited client. */
  readonly has: readonly EntryColumn[];
}

type EntryColumn = 'name' | 'issued_at' | 'last_used_at' | 'secret_expires_at';

export const DRIVERS: Readonly<Record<Driver, DriverTable>> = {
  id: {
    table: 'client_entry',
    key: undefined,
    index: undefined,
    has: ['name', 'issued_at', 'last_used_at', 'secret_expires_at'],
  },
  name: { table: 'client_entry', key: 'name', index: 'client_entry_name', has: ['name', 'issued_at'] },
  created: {
    table: 'client_entry',
    key: 'issued_at',
    index: 'client_entry_created',
    has: ['issued_at', 'name'],
  },
  used: {
    table: 'client_entry',
    key: 'last_used_at',
    index: 'client_entry_used',
    has: ['last_used_at', 'issued_at', 'name'],
  },
  secretEnd: {
    table: 'client_entry',
    key: 'secret_expires_at',
    index: 'client_entry_secret_end',
    has: ['secret_expires_at'],
  },
  end: { table: 'client', key: 'expires_at', index: 'client_end', has: [] },
  term: { table: 'client_term', key: 'issued_at', index: undefined, has: ['issued_at'] },
};

/** Indexes without the rows that have no value. */
const PARTIAL: ReadonlySet<string> = new Set(['client_entry_secret_end', 'client_end']);

export type Direction = 'ascending' | 'descending';

/** How the SQL of an engine differs. */
export interface Dialect {
  /** Whether `part` stands in `text`. */
  readonly contains: (text: string, part: string) => string;
  /** A parameter with its type. */
  readonly typed: (parameter: string, type: 'text' | 'bigint') => string;
  /** Names the index for the table before it. */
  readonly by: (index: string) => string;
}

/** The parts of criteria that a statement checks; a statement with more than are asked passes them. */
export type Condition = 'name' | 'namePart' | 'created' | 'used' | 'secretEnd' | 'end' | 'livingAt' | 'terms';
export const CONDITIONS: readonly Condition[] = [
  'name',
  'namePart',
  'created',
  'used',
  'secretEnd',
  'end',
  'livingAt',
  'terms',
];

/** Returns the names of the conditions in criteria. */
export const conditionsOf = (criteria: ClientCriteria): readonly Condition[] =>
  CONDITIONS.filter((name) => (name === 'terms' ? criteria.terms.length > 0 : criteria[name] !== undefined));

const COLUMNS = {
  name: ['name', 'text'],
  created: ['issued_at', 'bigint'],
  used: ['last_used_at', 'bigint'],
  secretEnd: ['secret_expires_at', 'bigint'],
  end: ['expires_at', 'bigint'],
} as const;

/** A condition that holds if its parameter is null. */
interface Check {
  readonly isAbsent: string;
  readonly condition: string;
}

const check = (dialect: Dialect, parameter: string, type: 'text' | 'bigint', condition: string): Check => ({
  isAbsent: `${dialect.typed(parameter, type)} IS NULL`,
  condition,
});

const textOf = ({ isAbsent, condition }: Check): string => `(${isAbsent} OR ${condition})`;

function span(dialect: Dialect, name: keyof typeof COLUMNS, row: string): readonly Check[] {
  const [column, type] = COLUMNS[name];
  const [from, until] = [`:${parameterOf(name)}_from`, `:${parameterOf(name)}_until`];
  return [
    check(dialect, from, type, `${row}.${column} >= ${dialect.typed(from, type)}`),
    check(dialect, until, type, `${row}.${column} < ${dialect.typed(until, type)}`),
  ];
}

const parameterOf = (name: string): string =>
  name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);

/**
 * A row of another table, found by its key, that meets conditions. A scalar subquery is never hashed or merged (ADR 22). Without
 * the first part a statement that checks every condition would look the row up for nothing.
 */
const rowWith = (table: string, alias: string, checks: readonly Check[]): string =>
  `(${checks.map(({ isAbsent }) => isAbsent).join(' AND ')} OR (SELECT 1 FROM ${table} AS ${alias}
    WHERE ${alias}.tenant = :tenant AND ${alias}.client_id = d.client_id AND ${checks.map(textOf).join(' AND ')}) = 1)`;

/** Returns the column of the visited client's entry. */
const entryColumn = (driver: Driver, column: EntryColumn): string =>
  DRIVERS[driver].has.includes(column)
    ? `d.${column}`
    : `(SELECT e.${column} FROM client_entry AS e WHERE e.tenant = :tenant AND e.client_id = d.client_id)`;

function conditions(dialect: Dialect, driver: Driver, asked: ReadonlySet<Condition>): readonly string[] {
  const own: string[] = [];
  const ofEntry: Check[] = [];
  const ofClient: Check[] = [];
  const add = (column: EntryColumn, made: (row: string) => readonly Check[]): void => {
    if (DRIVERS[driver].has.includes(column)) own.push(...made('d').map(textOf));
    else ofEntry.push(...made('e'));
  };
  for (const name of ['name', 'created', 'used', 'secretEnd', 'end'] as const) {
    if (!asked.has(name)) continue;
    // The statement visits no client outside of the span of its own order.
    if (name === driver) continue;
    if (name === 'end') ofClient.push(...span(dialect, name, 'c'));
    else add(COLUMNS[name][0], (row) => span(dialect, name, row));
  }
  if (asked.has('namePart')) {
    const part = dialect.typed(':name_part', 'text');
    add('name', (row) => [check(dialect, ':name_part', 'text', dialect.contains(`${row}.name`, part))]);
  }
  if (asked.has('livingAt')) {
    const at = dialect.typed(':living_at', 'bigint');
    ofClient.push(check(dialect, ':living_at', 'bigint', `(c.expires_at IS NULL OR c.expires_at > ${at})`));
  }
  if (asked.has('terms'))
    own.push(...places(TERMS_MAX).map((place) => termCondition(dialect, driver, place)));
  // These read rows: the others come first.
  if (ofEntry.length > 0) own.push(rowWith('client_entry', 'e', ofEntry));
  if (ofClient.length > 0) own.push(rowWith('client', 'c', ofClient));
  return own;
}

const places = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

function termCondition(dialect: Dialect, driver: Driver, place: number): string {
  const parameter = `:term_${place}`;
  // A term stands beside the time of registration, so that the list of a term is in that order.
  const issued = entryColumn(driver, 'issued_at');
  const listed = check(
    dialect,
    parameter,
    'text',
    `(SELECT 1 FROM client_term AS t WHERE t.tenant = :tenant AND t.term = ${parameter} AND t.issued_at = ${issued} AND t.client_id = d.client_id) = 1`,
  );
  return textOf(listed);
}

/** The clients after `start` and up to `stop`, in the direction. */
function between(dialect: Dialect, driver: Driver, direction: Direction): string {
  const { table, key, index } = DRIVERS[driver];
  const columns = key === undefined ? 'd.client_id' : `(d.${key}, d.client_id)`;
  const type = key === 'name' ? 'text' : 'bigint';
  const place = (end: string): string =>
    key === undefined
      ? `:${end}_id`
      : `(${dialect.typed(`:${end}_key`, type)}, ${dialect.typed(`:${end}_id`, 'text')})`;
  const [after, before] = direction === 'ascending' ? ['>', '<'] : ['<', '>'];
  const by = index === undefined ? '' : dialect.by(index);
  const list = driver === 'term' ? 'AND d.term = :list ' : '';
  const partial = index !== undefined && PARTIAL.has(index) ? `AND d.${key} IS NOT NULL ` : '';
  return `FROM ${table} AS d ${by} WHERE d.tenant = :tenant ${list}${partial}AND ${columns} ${after} ${place('start')}
    AND ${columns} ${before}= ${place('stop')}`;
}

function order(driver: Driver, direction: Direction): string {
  const { key } = DRIVERS[driver];
  const way = direction === 'ascending' ? '' : ' DESC';
  return [...(key === undefined ? [] : [key]), 'client_id'].map((column) => `d.${column}${way}`).join(', ');
}

/** Counts the clients between two places, up to `:most`. */
export const countText = (dialect: Dialect, driver: Driver): string =>
  `SELECT count(*) AS clients FROM (SELECT 1 AS found ${between(dialect, driver, 'ascending')} LIMIT :most) AS counted`;

/** Finds the place that is `:visited` clients behind the start. */
export function endText(dialect: Dialect, driver: Driver, direction: Direction): string {
  const { key } = DRIVERS[driver];
  return `SELECT ${key === undefined ? 'd.client_id' : `d.${key}`} AS place, d.client_id
    ${between(dialect, driver, direction)} ORDER BY ${order(driver, direction)} LIMIT 1 OFFSET :visited`;
}

const KEYS = { name: 'name', created: 'issued_at', used: 'last_used_at' } as const;

/** Says whether a visit along the driver knows the value that an order is by without reading the entry of the client. */
export const knowsKey = (driver: Driver, sort: ClientSort): boolean =>
  sort === 'id' || DRIVERS[driver].has.includes(KEYS[sort]);

/** Finds the clients between two places that meet conditions, with the value that the wanted order is by. */
export function visitText(
  dialect: Dialect,
  driver: Driver,
  direction: Direction,
  sort: ClientSort,
  asked: ReadonlySet<Condition>,
): string {
  const checked = conditions(dialect, driver, asked).map((condition) => `AND ${condition}`);
  const key = sort === 'id' ? 'd.client_id' : entryColumn(driver, KEYS[sort]);
  return `SELECT d.client_id, ${key} AS place
    ${between(dialect, driver, direction)} ${checked.join('\n')} ORDER BY ${order(driver, direction)} LIMIT :limit`;
}

/** The parameters of conditions. */
export function criteriaValues(criteria: ClientCriteria): Readonly<Record<string, string | number | null>> {
  const values: Record<string, string | number | null> = {
    name_part: criteria.namePart ?? null,
    living_at: criteria.livingAt ?? null,
  };
  for (const name of ['name', 'created', 'used', 'secretEnd', 'end'] as const) {
    values[`${parameterOf(name)}_from`] = criteria[name]?.from ?? null;
    values[`${parameterOf(name)}_until`] = criteria[name]?.until ?? null;
  }
  for (const place of places(TERMS_MAX)) values[`term_${place}`] = criteria.terms[place] ?? null;
  return values;
}

/** The version of a client that its lists show. */
export interface ListedVersion {
  readonly instance: ClientInstance;
  readonly version: number;
}

/**
 * Returns the values by which a client is found. A client whose texts cannot be read has no name and no terms: it must not stop
 * the listing of the others.
 */
export function listed(client: StoredClient): ClientListing {
  try {
    return listingOf(client);
  } catch {
    return { name: '', terms: [], secret_expires_at: null };
  }
}

/** An event of the audit, as the lists follow it. */
export type FollowedEvent = Pick<RecordedAuditEvent, 'sequence' | 'action' | 'outcome' | 'client_id'>;

/** Says whether an event may stand for a change of a client. A read may renew a secret. */
const mayChangeClient = ({ action, outcome, client_id }: FollowedEvent): boolean =>
  client_id !== null && outcome === 'done' && action.startsWith('client.');

interface Followed {
  /** Undefined if events are missing: they were swept. */
  readonly clients: readonly ClientId[] | undefined;
  /** The last event that was followed. */
  readonly to: number;
}

/**
 * Returns the clients that events name, at most `limit`, each once.
 * @param events those after `from`, in order; all up to `head` if there are not more than the caller asked for
 */
export function followed(
  events: readonly FollowedEvent[],
  from: number,
  head: number,
  limit: number,
): Followed {
  const clients = new Set<ClientId>();
  let to = from;
  for (const event of events) {
    // Numbers have no gaps.
    if (event.sequence !== to + 1) return { clients: undefined, to };
    if (mayChangeClient(event)) {
      const client_id = event.client_id as ClientId;
      if (clients.size >= limit && !clients.has(client_id)) break;
      clients.add(client_id);
    }
    to = event.sequence;
  }
  if (events.length === 0 && to < head) return { clients: undefined, to };
  return { clients: [...clients], to };
}

/** Events that one step of catching up reads for each client that it lists. */
export const EVENTS_PER_CLIENT = 4;
