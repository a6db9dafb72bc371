import { setImmediate as nextTurn } from 'node:timers/promises';
import type {
  ClientCriteria,
  ClientListPage,
  ClientPlace,
  ClientSearch,
  ClientSort,
  ListedClient,
  Span,
} from '../ports/client-lists.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { type Direction, type Driver, knowsKey } from './client-lists.ts';

/** A part of an order: the clients after `start` and up to `stop`, in the direction of the visit. */
export interface Stretch {
  readonly driver: Driver;
  /** The term, for the driver `term`. */
  readonly list?: string;
  readonly start: ClientPlace;
  readonly stop: ClientPlace;
}

/** A place, as the statements of `end` and `visit` return it. */
export interface PlaceRow {
  readonly place: string | number;
  readonly client_id: ClientId;
}

export const placeOf = ({ place, client_id }: PlaceRow): ClientPlace => ({ key: place, client_id });

/** Everything that a search asks an engine. */
export interface ListReader {
  /** Counts the clients of a stretch in ascending order, up to `most`. */
  count(stretch: Stretch, most: number): Promise<number>;
  /** Returns the place of the client that stands `visited` clients behind the first one of a stretch. */
  end(stretch: Stretch, direction: Direction, visited: number): Promise<ClientPlace | undefined>;
  /** Returns the places in the wanted order of the clients that meet the criteria. */
  visit(
    stretch: Stretch,
    direction: Direction,
    asked: Pick<ClientSearch, 'criteria' | 'sort'>,
    limit: number,
  ): Promise<readonly ClientPlace[]>;
  /** Returns the clients that still exist, in the order of their ids. */
  read(ids: readonly ClientId[]): Promise<readonly ListedClient[]>;
  /** A visit should take about this time: others wait for it. */
  readonly visit_ms: number;
}

/**
 * A list of at most this many clients is read whole and sorted, if it alone is asked for and has not the values that the order is
 * by: then the search reads the entry of every client. From a longer one it goes along the wanted order, where one in a few
 * hundred clients meets the condition.
 */
const COLLECTED_MAX = 2_000;
/** The same for a search with further conditions, and for a list that has these values. Most of its clients cost little. */
const COLLECTED_AMONG_MAX = 5_000;
/** Clients of such a list that are read and sorted in one turn of the event loop. */
const COLLECTED_AT_ONCE = 1_000;
/** Share of the time after which a list is too long to be read whole. Many clients meet the conditions then, so a walk finds them soon. */
const COLLECTING_SHARE = 0.6;
/** The first part has as many clients for each millisecond that a visit should take, as if each needed the look-ups of a few rows. */
const VISITED_FIRST_PER_MS = 40;
const VISITED_MIN = 10;
const VISITED_MAX = 100_000;

/** Finds a page of clients. It reads the shortest list whole, or walks along the wanted order until the page is full or the time is over. */
export async function searchClients(reader: ListReader, search: ClientSearch): Promise<ClientListPage> {
  const began = performance.now();
  const shortest = await shortestList(reader, search);
  const visits = new Visits(reader, search, began);
  const whole = shortest?.short === true ? await visits.collect(shortest) : undefined;
  const { found, next } = whole ?? (await visits.walk(stretchOf(search, shortest)));
  const listed = await reader.read(found.map(({ client_id }) => client_id));
  const byId = new Map(listed.map((one) => [one.client.client_id, one]));
  return { found: found.flatMap(({ client_id }) => byId.get(client_id) ?? []), next };
}

interface Candidate extends Stretch {
  /** Whether it is short enough to be read whole. */
  readonly short: boolean;
}

/** Returns the shortest list that has every client that meets the criteria; undefined if the wanted order alone will do. */
async function shortestList(
  reader: ListReader,
  { criteria, sort }: ClientSearch,
): Promise<Candidate | undefined> {
  const lists = listsOf(criteria);
  const [only] = lists;
  if (only === undefined) return undefined;
  const alone = lists.length === 1 && criteria.namePart === undefined && criteria.livingAt === undefined;
  if (alone && (only.driver === sort || (only.driver === 'term' && sort === 'created')))
    return { ...only, short: false };
  const most = alone && !knowsKey(only.driver, sort) ? COLLECTED_MAX : COLLECTED_AMONG_MAX;
  let least = most + 1;
  let shortest = only;
  for (const list of lists) {
    // A list that is longer than another one need not be counted to its end.
    const clients = await reader.count(list, least);
    if (clients < least) shortest = list;
    least = Math.min(least, clients);
    if (least === 0) break;
    await nextTurn();
  }
  return { ...shortest, short: least <= most };
}

/** Returns the stretches that criteria name, in ascending order. */
function listsOf(criteria: ClientCriteria): readonly Stretch[] {
  const spans = (['name', 'created', 'used', 'secretEnd', 'end'] as const).flatMap((driver) => {
    const span = criteria[driver];
    return span === undefined ? [] : [{ driver, ...ends(driver, 'ascending', span) }];
  });
  const terms = criteria.terms.map((list) => ({
    driver: 'term' as const,
    list,
    ...ends('term', 'ascending', criteria.created),
  }));
  return [...terms, ...spans];
}

/** Returns the stretch of the wanted order; that of a term if it has this order. */
function stretchOf({ criteria, sort, descending }: ClientSearch, shortest: Stretch | undefined): Stretch {
  const direction = descending ? 'descending' : 'ascending';
  if (sort === 'created' && shortest?.driver === 'term')
    return { ...shortest, ...ends('term', direction, criteria.created) };
  const span = sort === 'id' ? undefined : criteria[sort];
  return { driver: sort, ...ends(sort, direction, span) };
}

/** Greater than every name and identifier. */
const BEYOND_ALL = '\u{10ffff}';

function ends(
  driver: Driver,
  direction: Direction,
  { from, until }: Span<string | number> = {},
): Pick<Stretch, 'start' | 'stop'> {
  const isText = driver === 'name' || driver === 'id';
  const none = '' as ClientId;
  const id = driver === 'id' ? (BEYOND_ALL as ClientId) : none;
  const low = { key: from ?? (isText ? '' : -1), client_id: none };
  const high = { key: until ?? (isText ? BEYOND_ALL : Number.MAX_SAFE_INTEGER), client_id: id };
  return direction === 'ascending' ? { start: low, stop: high } : { start: high, stop: low };
}

interface Found {
  readonly found: readonly ClientPlace[];
  readonly next: ClientPlace | undefined;
}

/** The visits of one search. */
class Visits {
  readonly #reader: ListReader;
  readonly #search: ClientSearch;
  readonly #began: number;
  #visited: number;

  constructor(reader: ListReader, search: ClientSearch, began: number) {
    this.#reader = reader;
    this.#search = search;
    this.#began = began;
    this.#visited = reader.visit_ms * VISITED_FIRST_PER_MS;
  }

  /** Reads a list whole, and returns what comes first in the wanted order; undefined if that takes too long. */
  async collect(list: Stretch): Promise<Found | undefined> {
    const { descending, after, limit, budget_ms } = this.#search;
    const compare = comparison(descending);
    const from = after === undefined ? undefined : placed(after);
    let first: readonly Placed[] = [];
    let start: ClientPlace | undefined = list.start;
    while (start !== undefined) {
      const { rows, end } = await this.#visit(
        { ...list, start },
        'ascending',
        COLLECTED_AT_ONCE + 1,
        COLLECTED_AT_ONCE,
      );
      const last = first.length > limit ? first.at(-1) : undefined;
      const added = rows
        .map(placed)
        .filter((one) => from === undefined || compare(one, from) > 0)
        .filter((one) => last === undefined || compare(one, last) < 0);
      if (added.length > 0) first = [...first, ...added].sort(compare).slice(0, limit + 1);
      start = end;
      if (end !== undefined && performance.now() - this.#began > budget_ms * COLLECTING_SHARE)
        return undefined;
      await nextTurn();
    }
    return this.#page(first.map(({ place }) => place));
  }

  /** Goes along the wanted order. */
  async walk(whole: Stretch): Promise<Found> {
    const { descending, after, limit, sort } = this.#search;
    const direction = descending ? 'descending' : 'ascending';
    const found: ClientPlace[] = [];
    let start = after ?? whole.start;
    for (;;) {
      const { rows, end } = await this.#visit({ ...whole, start }, direction, limit + 1 - found.length);
      found.push(...rows);
      if (found.length > limit || end === undefined) return this.#page(found);
      if (performance.now() - this.#began >= this.#search.budget_ms)
        return { found, next: walked(sort, end) };
      start = end;
      await nextTurn();
    }
  }

  /** @param found has an additional client if the page is not the last one */
  #page(found: readonly ClientPlace[]): Found {
    const page = found.slice(0, this.#search.limit);
    return { found: page, next: found.length > page.length ? page.at(-1) : undefined };
  }

  /** Visits the next part of a stretch, which is longer if the one before was quick. The client at its end is not counted in `most`. */
  async #visit(
    stretch: Stretch,
    direction: Direction,
    limit: number,
    most = VISITED_MAX,
  ): Promise<{ readonly rows: readonly ClientPlace[]; readonly end: ClientPlace | undefined }> {
    const began = performance.now();
    const end = await this.#reader.end(stretch, direction, Math.min(this.#visited, most));
    const part = end === undefined ? stretch : { ...stretch, stop: end };
    const rows = await this.#reader.visit(part, direction, this.#search, limit);
    const took = performance.now() - began;
    // Not all at once: a part that took long may only have waited for the core.
    const factor = Math.max(1 / 4, Math.min(2, this.#reader.visit_ms / took));
    this.#visited = Math.max(VISITED_MIN, Math.min(VISITED_MAX, Math.floor(this.#visited * factor)));
    return { rows, end };
  }
}

const walked = (sort: ClientSort, end: ClientPlace): ClientPlace =>
  sort === 'id' ? { key: end.client_id, client_id: end.client_id } : end;

interface Placed {
  /** In UTF-8, whose order is that of both engines. */
  readonly key: Buffer | number;
  readonly client_id: string;
  readonly place: ClientPlace;
}

const placed = (place: ClientPlace): Placed => ({
  key: typeof place.key === 'number' ? place.key : Buffer.from(place.key),
  client_id: place.client_id,
  place,
});

function comparison(descending: boolean): (one: Placed, other: Placed) => number {
  const sign = descending ? -1 : 1;
  return (one, other) =>
    sign * (compareKeys(one.key, other.key) || compareIds(one.client_id, other.client_id));
}

function compareKeys(one: Buffer | number, other: Buffer | number): number {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) - Number(other);
  return one.compare(other);
}

/** Identifiers are ASCII. */
const compareIds = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
