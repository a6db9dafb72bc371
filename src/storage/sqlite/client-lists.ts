import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ClientLists, ClientSort, ListedClient } from '../../ports/client-lists.ts';
import type { ClientId, TenantId } from '../../spec/identifiers.ts';
import { inTurns } from '../../spec/in-turns.ts';
import {
  type Condition,
  conditionsOf,
  countText,
  criteriaValues,
  type Dialect,
  type Direction,
  type Driver,
  endText,
  visitText,
} from '../client-lists.ts';
import { type ListReader, type PlaceRow, placeOf, type Stretch, searchClients } from '../client-search.ts';
import { catchingUp, listProgress } from './client-listing.ts';
import { CLIENT_COLUMNS, storedClient } from './client-rows.ts';
import type { ReadConnections, TenantNoun } from './noun.ts';

const DIALECT: Dialect = {
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  typed: (parameter) => parameter,
  by: (index) => `INDEXED BY ${index}`,
};

/** A turn of the event loop visits clients for about this time. */
const VISIT_MS = 0.25;

export const clientLists: TenantNoun<ClientLists, 'isBehind' | 'search' | 'read'> = {
  reads: {
    isBehind({ scans }) {
      const progress = listProgress(scans);
      return (tenant) => progress(tenant).behind;
    },
    read: clientsOf,
    search(connections) {
      const read = clientsOf(connections);
      const statements = preparedOnce(connections.scans);
      return async (tenant, search) => await searchClients(reader(tenant, statements, read), search);
    },
  },
  writes: { catchUp: catchingUp },
};

type Prepared = (text: string) => StatementSync;

/** Each criterion that is not asked leaves its condition out, so the same search has the same text. */
function preparedOnce(database: DatabaseSync): Prepared {
  const statements = new Map<string, StatementSync>();
  return (text) => {
    let statement = statements.get(text);
    if (statement === undefined) {
      statement = database.prepare(text);
      statement.setAllowUnknownNamedParameters(true);
      statements.set(text, statement);
    }
    return statement;
  };
}

function reader(
  tenant: TenantId,
  prepared: Prepared,
  read: (tenant: TenantId, ids: readonly ClientId[]) => Promise<readonly ListedClient[]>,
): ListReader {
  const valuesOf = ({ list, start, stop }: Stretch) => ({
    tenant,
    list: list ?? null,
    start_key: start.key,
    start_id: start.client_id,
    stop_key: stop.key,
    stop_id: stop.client_id,
  });
  const visit = (
    driver: Driver,
    direction: Direction,
    sort: ClientSort,
    asked: readonly Condition[],
  ): StatementSync => prepared(visitText(DIALECT, driver, direction, sort, new Set(asked)));
  return {
    visit_ms: VISIT_MS,
    count: async (stretch, most) => {
      const row = prepared(countText(DIALECT, stretch.driver)).get({ ...valuesOf(stretch), most });
      return await Promise.resolve(Number(row?.['clients'] ?? 0));
    },
    end: async (stretch, direction, visited) => {
      const found = prepared(endText(DIALECT, stretch.driver, direction)).get({
        ...valuesOf(stretch),
        visited,
      });
      if (found === undefined) return await Promise.resolve(undefined);
      return placeOf(found as unknown as PlaceRow);
    },
    visit: async (stretch, direction, { criteria, sort }, limit) => {
      const rows = visit(stretch.driver, direction, sort, conditionsOf(criteria)).all({
        ...valuesOf(stretch),
        ...criteriaValues(criteria),
        limit,
      });
      return await Promise.resolve((rows as unknown as readonly PlaceRow[]).map(placeOf));
    },
    read: async (ids) => await read(tenant, ids),
  };
}

function clientsOf({
  scans,
}: ReadConnections): (tenant: TenantId, ids: readonly ClientId[]) => Promise<readonly ListedClient[]> {
  const used = '(SELECT last_used_at FROM client_entry AS e WHERE e.tenant = ?1 AND e.client_id = ?2)';
  const select = scans.prepare(
    `SELECT ${CLIENT_COLUMNS}, coalesce(${used}, 0) AS used FROM client WHERE tenant = ?1 AND client_id = ?2`,
  );
  select.setReturnArrays(true);
  const found = (tenant: TenantId, client_id: ClientId): readonly ListedClient[] => {
    const row = select.get(tenant, client_id) as unknown as readonly unknown[] | undefined;
    return row === undefined ? [] : [{ client: storedClient(row), last_used_at: Number(row.at(-1)) }];
  };
  return async (tenant, ids) =>
    await inTurns(ids, (part) => part.flatMap((client_id) => found(tenant, client_id)));
}
