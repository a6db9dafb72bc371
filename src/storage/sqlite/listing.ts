import type { Listing, ListRange } from '../../ports/listing.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { type ListPlan, listingOf, listingSql, listingValues, type Walk } from '../listing.ts';
import type { ReadConnections } from './noun.ts';

/** The column has another name on PostgreSQL, where the word is reserved. */
const GRANT_TEXT = 'held.authorization AS authorization_text';

/** Returns the statement of a walk as SQLite takes it. */
export function sqliteListing(walk: Walk): string {
  const from = walk.index === undefined ? walk.from : `${walk.from} INDEXED BY ${walk.index}`;
  return listingSql({ ...walk, from }).replaceAll('held.authorization_text', GRANT_TEXT);
}

const NAMED = /:([a-z_][a-z0-9_]*)/gu;

/** Makes the read of a list: it prepares a statement for each walk. */
export const listing =
  <Filter, Stored>({ walks, choose, read }: ListPlan<Filter, Stored>) =>
  ({ scans }: ReadConnections): ((tenant: TenantId, filter: Filter, range: ListRange) => Listing<Stored>) => {
    const prepared = new Map(
      walks.map((walk) => {
        const sql = sqliteListing(walk);
        const names = [...new Set([...sql.matchAll(NAMED)].map(([, name]) => name ?? ''))];
        return [walk.name, { statement: scans.prepare(sql), names }];
      }),
    );
    return (tenant, filter, range) => {
      const chosen = choose(filter);
      const values = listingValues(chosen, range);
      const found = prepared.get(chosen.walk.name);
      if (found === undefined) throw new Error(`the walk ${chosen.walk.name} is not prepared`);
      const bound = { ...values, tenant };
      const named = Object.fromEntries(found.names.map((name) => [name, bound[name as keyof typeof bound]]));
      return listingOf(found.statement.all(named), chosen, values, read);
    };
  };
