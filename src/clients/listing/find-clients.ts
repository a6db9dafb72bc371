import type {
  ClientCriteria,
  ClientListPage,
  ClientLists,
  ClientPlace,
  ClientSort,
  ListedClient,
  Span,
} from '../../ports/client-lists.ts';
import type { ClientStore } from '../../ports/client-store.ts';
import type { Clock } from '../../ports/clock.ts';
import { listedName, listingOf, type TermKind, term } from '../../spec/client-listing.ts';
import { temporarilyUnavailable } from '../../spec/errors.ts';
import { inTurns } from '../../spec/in-turns.ts';

export interface ListNeeds {
  readonly clientLists: ClientLists;
  readonly clients: Pick<ClientStore, 'page'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Everything that clients can be chosen by. A client must meet all of it. Times are in seconds since the Unix epoch. */
export interface ClientFilters {
  /** The beginning of the name. */
  readonly name?: string;
  readonly name_contains?: string;
  /** A whole origin, or its part before the colon. */
  readonly registered_via?: string;
  readonly grant_types?: readonly string[];
  readonly scope?: readonly string[];
  readonly type?: 'public' | 'confidential';
  readonly redirect_host?: string;
  readonly entity_id?: string;
  readonly trust_anchor?: string;
  readonly owner?: string;
  readonly state?: 'active' | 'expired';
  readonly created?: Span<number>;
  readonly used?: Span<number>;
  readonly expires?: Span<number>;
  readonly secret_expires?: Span<number>;
}

export interface ClientQuery {
  readonly filters: ClientFilters;
  readonly sort: ClientSort;
  readonly descending: boolean;
  readonly after?: ClientPlace | undefined;
  readonly limit: number;
}

/** A search that finds little ends after this time. */
const BUDGET_MS = 30;

/**
 * Returns a page of the clients that meet the filters, with every change that was acknowledged before the call.
 * @throws OAuthError temporarily_unavailable while lists are being filled
 */
export async function findClients(needs: ListNeeds, query: ClientQuery): Promise<ClientListPage> {
  const { filters, sort, descending, after, limit } = query;
  // The table of clients itself is in this order, and has every client.
  if (sort === 'id' && !descending && Object.keys(filters).length === 0)
    return await pageOfAll(needs, after, limit);
  await requireCurrent(needs.clientLists);
  const criteria = criteriaOf(filters, needs.clock.now());
  const { found, next } = await needs.clientLists.search({
    criteria,
    sort,
    descending,
    limit,
    budget_ms: BUDGET_MS,
    ...(after === undefined ? {} : { after }),
  });
  // A client may have changed since it was listed. Long values share a list.
  const stillMatches = matching(filters);
  return { found: await inTurns(found, (part) => part.filter(stillMatches)), next };
}

async function pageOfAll(
  { clients, clientLists }: ListNeeds,
  after: ClientPlace | undefined,
  limit: number,
): Promise<ClientListPage> {
  const page = await clients.page(after?.client_id, limit + 1);
  const shown = page.slice(0, limit).map(({ client_id }) => client_id);
  const last = shown.at(-1);
  const next = page.length > limit && last !== undefined ? { key: last, client_id: last } : undefined;
  return { found: await clientLists.read(shown), next };
}

/** Clients listed by one write, for a request that waits for the lists. Other writes wait for it. */
const LISTED_AT_ONCE = 200;
/** Writes that a request makes before it gives up. */
const STEPS_MAX = 10;
const RETRY_SECONDS = 5;

async function requireCurrent(clientLists: ClientLists): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step += 1) {
    if (step === 0 && !(await clientLists.isBehind())) return;
    if (!(await clientLists.catchUp(LISTED_AT_ONCE))) return;
  }
  throw temporarilyUnavailable(
    'the lists of clients are being filled; a list without filters, in the order of client_id, is there',
    { retryAfter: RETRY_SECONDS },
  );
}

/** Greater than every character of a name. */
const BEYOND = '\u{10ffff}';

function criteriaOf(filters: ClientFilters, now: number): ClientCriteria {
  const { name, name_contains, created, used, expires, secret_expires, state } = filters;
  const ended = state === 'expired' ? { until: now + 1 } : undefined;
  const end = joined(expires, ended);
  const beginning = name === undefined ? '' : listedName(name);
  return {
    terms: termsOf(filters),
    ...(beginning === '' ? {} : { name: { from: beginning, until: beginning + BEYOND } }),
    ...(name_contains === undefined || listedName(name_contains) === ''
      ? {}
      : { namePart: listedName(name_contains) }),
    ...(created === undefined ? {} : { created }),
    ...(used === undefined ? {} : { used }),
    ...(end === undefined ? {} : { end }),
    ...(secret_expires === undefined ? {} : { secretEnd: secret_expires }),
    ...(state === 'active' ? { livingAt: now } : {}),
  };
}

function joined(one: Span<number> | undefined, other: Span<number> | undefined): Span<number> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const until = Math.min(one.until ?? Number.MAX_SAFE_INTEGER, other.until ?? Number.MAX_SAFE_INTEGER);
  return { ...one, until };
}

function termsOf(filters: ClientFilters): readonly string[] {
  const { registered_via, grant_types = [], scope = [], type, redirect_host, entity_id, owner } = filters;
  const { trust_anchor } = filters;
  const one = (kind: TermKind, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [term(kind, value)];
  return [
    ...one(registered_via?.includes(':') === true ? 'via' : 'origin', registered_via),
    ...one('via', trust_anchor === undefined ? undefined : `federation:${trust_anchor}`),
    ...grant_types.map((grant) => term('grant', grant)),
    ...scope.map((value) => term('scope', value)),
    ...one('type', type),
    ...one('redirect', redirect_host?.toLowerCase()),
    ...one('entity', entity_id),
    ...one('owner', owner),
  ];
}

function matching(filters: ClientFilters): (listed: ListedClient) => boolean {
  const { registered_via } = filters;
  const wanted = termsOf(filters);
  const via = registered_via?.includes(':') === true ? registered_via : undefined;
  const [beginning, part] = [filters.name, filters.name_contains].map((text) => listedName(text ?? ''));
  return ({ client }) => {
    const { name, terms } = listingOf(client);
    return (
      wanted.every((each) => terms.includes(each)) &&
      (via === undefined || client.registered_via === via) &&
      name.startsWith(beginning ?? '') &&
      name.includes(part ?? '')
    );
  };
}
