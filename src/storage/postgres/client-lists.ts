import {
  CLIENT_SORTS,
  type ClientLists,
  type ClientSort,
  type ListedClient,
} from '../../ports/client-lists.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import {
  CONDITIONS,
  countText,
  criteriaValues,
  type Dialect,
  type Direction,
  DRIVERS,
  type Driver,
  endText,
  visitText,
} from '../client-lists.ts';
import { type ListReader, type PlaceRow, placeOf, type Stretch, searchClients } from '../client-search.ts';
import { catchUp, isBehind } from './client-listing.ts';
import { asClient, CLIENT_COLUMNS, type ClientRow } from './client-rows.ts';
import type { ReadConnections, TenantNoun } from './noun.ts';
import { type Statement, statement } from './statement.ts';

const DIALECT: Dialect = {
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  typed: (parameter, type) => `${parameter}::${type}`,
  by: () => '',
};

interface DriverStatements {
  readonly count: Statement;
  readonly end: Readonly<Record<Direction, Statement>>;
  readonly visit: Readonly<Record<ClientSort, Readonly<Record<Direction, Statement>>>>;
}

const ALL = new Set(CONDITIONS);

/** A statement checks every condition, and passes those whose values are null. */
function statementsOf(driver: Driver): DriverStatements {
  const name = `client_list_${driver.toLowerCase()}`;
  const both = (kind: string, text: (direction: Direction) => string) => ({
    ascending: statement(`${name}_${kind}`, text('ascending')),
    descending: statement(`${name}_${kind}_back`, text('descending')),
  });
  return {
    count: statement(`${name}_count`, countText(DIALECT, driver)),
    end: both('end', (direction) => endText(DIALECT, driver, direction)),
    visit: Object.fromEntries(
      CLIENT_SORTS.map((sort) => [
        sort,
        both(`visit_${sort}`, (direction) => visitText(DIALECT, driver, direction, sort, ALL)),
      ]),
    ) as DriverStatements['visit'],
  };
}

const STATEMENTS = Object.fromEntries(
  Object.keys(DRIVERS).map((driver) => [driver, statementsOf(driver as Driver)]),
) as Readonly<Record<Driver, DriverStatements>>;

const READ = statement(
  'client_list_read',
  `SELECT ${CLIENT_COLUMNS}, coalesce((SELECT last_used_at FROM client_entry AS e
     WHERE e.tenant = :tenant AND e.client_id = client.client_id), 0) AS last_used_at
   FROM client WHERE tenant = :tenant AND client_id = ANY(:client_ids::text[])`,
);

/** A round trip visits clients for about this time. */
const VISIT_MS = 10;

export const clientLists: TenantNoun<ClientLists, 'isBehind' | 'search' | 'read'> = {
  reads: {
    isBehind,
    read: (connections) => async (tenant, ids) => await reader(connections, tenant).read(ids),
    search: (connections) => async (tenant, search) =>
      await searchClients(reader(connections, tenant), search),
  },
  writes: { catchUp: { locksTenant: true, interactive: catchUp } },
};

/** Reads from the primary: a page that follows a change shows it. */
function reader({ primary }: ReadConnections, tenant: TenantId): ListReader {
  const valuesOf = ({ list, start, stop }: Stretch) => ({
    list: list ?? null,
    start_key: start.key,
    start_id: start.client_id,
    stop_key: stop.key,
    stop_id: stop.client_id,
  });
  return {
    visit_ms: VISIT_MS,
    async count(stretch, most) {
      const values = { ...valuesOf(stretch), most };
      const [row] = await primary.slowRows(tenant, STATEMENTS[stretch.driver].count, values);
      return Number(row?.['clients'] ?? 0);
    },
    async end(stretch, direction, visited) {
      const asked = STATEMENTS[stretch.driver].end[direction];
      const [row] = await primary.slowRows(tenant, asked, { ...valuesOf(stretch), visited });
      return row === undefined ? undefined : placeOf(row as unknown as PlaceRow);
    },
    async visit(stretch, direction, { criteria, sort }, limit) {
      const asked = STATEMENTS[stretch.driver].visit[sort][direction];
      const values = { ...valuesOf(stretch), ...criteriaValues(criteria), limit };
      return (await primary.slowRows<PlaceRow>(tenant, asked, values)).map(placeOf);
    },
    async read(client_ids) {
      if (client_ids.length === 0) return [];
      const rows = await primary.slowRows<ReadRow>(tenant, READ, { client_ids });
      return rows.map(({ last_used_at, ...row }): ListedClient => ({ client: asClient(row), last_used_at }));
    },
  };
}

type ReadRow = ClientRow & { readonly last_used_at: number };
