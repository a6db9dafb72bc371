import type { Listing, ListPosition, ListRange } from '../ports/listing.ts';

/** A value of a parameter of a listing. */
export type ListValue = string | number;

/** One way through a table in the order of an index. Both engines understand its SQL; `held` is the table of the rows. */
export interface Walk {
  /** Unique in the program. */
  readonly name: string;
  readonly columns: string;
  readonly from: string;
  /** Tells SQLite which index to take, where it prefers another one. */
  readonly index?: string;
  /** Conditions that the index answers, besides the tenant's. */
  readonly where: string;
  /** The columns of the order, unique together, and their greatest or least value: where the first page begins. */
  readonly key: readonly (readonly [column: string, beginning: string | number])[];
  readonly descending: boolean;
  /** Conditions on the rows of the walk, which no index answers. */
  readonly residual: string;
}

/** A walk with the values of its parameters. */
export interface ChosenWalk {
  readonly walk: Walk;
  readonly values: Readonly<Record<string, ListValue>>;
  /** Where the first page begins, if not at the beginning of the walk. */
  readonly beginning?: ListPosition;
  /** Whether the residual condition may leave out many rows in a row. */
  readonly isSelective: boolean;
}

/** A list of one noun: its walks, and which one answers a filter. */
export interface ListPlan<Filter, Stored> {
  readonly walks: readonly Walk[];
  readonly choose: (filter: Filter) => ChosenWalk;
  readonly read: (row: object) => Stored;
}

/** Greater than each text that is stored, by code points. */
export const LAST_TEXT = '\u{10ffff}';
/** Greater than each number that is stored. */
export const LAST_NUMBER = Number.MAX_SAFE_INTEGER;

const each = (walk: Walk, part: (index: number, column: string) => string): string =>
  walk.key.map(([column], index) => part(index, column)).join(', ');

/**
 * Returns the statement of a walk. It examines at most `:scan` rows from one place of the index on, returns at most `:limit` of
 * them, and says where it stopped: in one statement, so that a row that comes or goes meanwhile is neither lost nor shown twice.
 */
export function listingSql(walk: Walk): string {
  const [forward, backward] = walk.descending ? ['DESC', 'ASC'] : ['ASC', 'DESC'];
  const order = each(walk, (index) => `order_${index} ${forward}`);
  const afters = each(walk, (index) => `:after_${index}`);
  return `WITH walk AS (
      SELECT ${each(walk, (index, column) => `${column} AS order_${index}`)}, ${walk.columns} FROM ${walk.from}
      WHERE ${walk.where} AND (${each(walk, (_, column) => column)}) ${walk.descending ? '<' : '>'} (${afters})
      ORDER BY ${each(walk, (_, column) => `${column} ${forward}`)} LIMIT :scan),
    edge AS (
      SELECT ${each(walk, (index) => `order_${index} AS edge_${index}`)}, (SELECT count(*) FROM walk) AS walked
      FROM walk ORDER BY ${each(walk, (index) => `order_${index} ${backward}`)} LIMIT 1),
    hit AS (SELECT * FROM walk WHERE ${walk.residual} ORDER BY ${order} LIMIT :limit)
    SELECT * FROM edge LEFT JOIN hit ON 1 = 1 ORDER BY ${order}`;
}

/** Returns the values of the parameters of a walk for a page. */
export function listingValues(
  { walk, values, isSelective, beginning }: ChosenWalk,
  { limit, after, examined }: ListRange,
): Readonly<Record<string, ListValue>> {
  const position = after ?? beginning ?? walk.key.map(([, beginning]) => beginning);
  const afters = walk.key.map(([, beginning], index) => [
    `after_${index}`,
    fitting(position[index], beginning),
  ]);
  const scan = isSelective ? Math.max(examined, limit + 1) : limit + 1;
  return { ...values, ...Object.fromEntries(afters), limit, scan };
}

/** A position comes from outside: a value of another type begins at the beginning. */
function fitting(value: ListValue | undefined, beginning: string | number): string | number {
  return value !== undefined && typeof value === typeof beginning ? value : beginning;
}

type Columns = Readonly<Record<string, unknown>>;

/** Returns the page that the rows of a walk are. */
export function listingOf<Stored>(
  rows: readonly object[],
  { walk }: ChosenWalk,
  values: Readonly<Record<string, ListValue>>,
  read: (row: object) => Stored,
): Listing<Stored> {
  const first = rows[0] as Columns | undefined;
  if (first === undefined) return { rows: [], next: undefined };
  const hits = (rows as readonly Columns[]).filter((row) => row['order_0'] !== null);
  const at = (row: Columns, name: string): ListPosition =>
    walk.key.map((_, index) => row[`${name}_${index}`] as string | number);
  const edge = at(first, 'edge');
  const last = hits.at(-1);
  const isFull = hits.length === values['limit'];
  const end = isFull && last !== undefined ? at(last, 'order') : edge;
  const isEnd =
    Number(first['walked']) < Number(values['scan']) && end.every((part, index) => part === edge[index]);
  return { rows: hits.map(read), next: isEnd ? undefined : end };
}
