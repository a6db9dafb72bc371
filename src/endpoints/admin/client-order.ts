import { CLIENT_SORTS, type ClientPlace, type ClientSort } from '../../ports/client-lists.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { Page, Position } from './list.ts';
import { invalidParameters } from './parameters.ts';

const SORT_MEMBERS = { id: 'client_id', name: 'name', created: 'created_at', used: 'last_used_at' } as const;

/** The members that a list of clients is sorted by, and the order of each. */
const SORTS: Readonly<Record<string, ClientSort>> = Object.fromEntries(
  CLIENT_SORTS.map((sort) => [SORT_MEMBERS[sort], sort]),
);
const SORT_NAMES = CLIENT_SORTS.flatMap((sort) => [SORT_MEMBERS[sort], `-${SORT_MEMBERS[sort]}`]);

/** The values of `sort` for a list of clients, the default first. */
export const CLIENT_ORDERS: readonly [string, ...string[]] = [
  'client_id',
  ...SORT_NAMES.filter((name) => name !== 'client_id'),
];

/** The order of a page of clients, and where the page begins. */
interface ClientOrder {
  readonly sort: ClientSort;
  readonly descending: boolean;
  readonly after: ClientPlace | undefined;
  readonly limit: number;
}

/** Reads the order from the query of a list. @throws Problem invalid_parameter for a cursor of another list or order */
export function clientOrder(page: Page): ClientOrder {
  const sort = SORTS[page.sort] ?? 'id';
  return { sort, descending: page.descending, after: placeOf(page, sort), limit: page.limit };
}

/** A cursor fits its list and order. Its values come from the caller all the same. */
function placeOf({ after }: Page, sort: ClientSort): ClientPlace | undefined {
  if (after === undefined) return undefined;
  const [key, client_id] = after;
  const isText = sort === 'id' || sort === 'name';
  const fits = isText ? typeof key === 'string' : typeof key === 'number';
  if (after.length !== 2 || !fits || typeof client_id !== 'string')
    throw invalidParameters([
      { pointer: 'cursor', detail: 'must be the next of an answer to the same request' },
    ]);
  return { key: key as string | number, client_id: client_id as ClientId };
}

/** Returns the place as a cursor keeps it. */
export const positionOf = (place: ClientPlace | undefined): Position | undefined =>
  place === undefined ? undefined : [place.key, place.client_id];
