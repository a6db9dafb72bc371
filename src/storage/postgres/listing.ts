import type { Listing, ListRange } from '../../ports/listing.ts';
import type { TenantId } from '../../spec/identifiers.ts';
import { type ListPlan, listingOf, listingSql, listingValues } from '../listing.ts';
import type { ReadConnections } from './noun.ts';
import { statement } from './statement.ts';

/** Makes the read of a list: one statement for each walk. */
export const listing = <Filter, Stored>({ walks, choose, read }: ListPlan<Filter, Stored>) => {
  const statements = new Map(walks.map((walk) => [walk.name, statement(walk.name, listingSql(walk))]));
  return ({ primary }: ReadConnections) =>
    async (tenant: TenantId, filter: Filter, range: ListRange): Promise<Listing<Stored>> => {
      const chosen = choose(filter);
      const values = listingValues(chosen, range);
      const found = statements.get(chosen.walk.name);
      if (found === undefined) throw new Error(`the walk ${chosen.walk.name} has no statement`);
      return listingOf(await primary.slowRows(tenant, found, values), chosen, values, read);
    };
};
