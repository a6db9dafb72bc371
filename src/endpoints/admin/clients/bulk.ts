import { isKeptAfterDeletion, keptVersionsMax } from '../../../clients/history/history-limits.ts';
import { type ClientFilters, findClients } from '../../../clients/listing/find-clients.ts';
import { administeredClient } from '../../../clients/manage-client.ts';
import { registeredScope } from '../../../clients/registered-client.ts';
import { requireAdminScopeOf } from '../../../clients/registration/admin-scope.ts';
import type { AccessTokenStore } from '../../../ports/access-token-store.ts';
import type { ListedClient } from '../../../ports/client-lists.ts';
import type { ClientChange, StoredClient } from '../../../ports/client-store.ts';
import type { GrantStore } from '../../../ports/grant-store.ts';
import { permitsAdmin } from '../../../spec/admin-scopes.ts';
import { OAuthError } from '../../../spec/errors.ts';
import type { ClientId } from '../../../spec/identifiers.ts';
import type { Parameters } from '../../../spec/parameters.ts';
import { Problem } from '../../../spec/problems.ts';
import { insufficientScope } from '../../../tokens/bearer-token.ts';
import { acting, type Item, type Plan, type WriteCall } from '../operation.ts';
import { type AdminClientNeeds, requestOf } from './client-change.ts';
import { shownMetadata } from './client-item.ts';
import { clientFilters } from './client-query.ts';
import { type BulkAction, clientBulk } from './contract.ts';
import { TokenEnding } from './token-ending.ts';

export interface AdminBulkNeeds extends AdminClientNeeds {
  readonly storage: AdminClientNeeds['storage'] & {
    readonly grants: Pick<GrantStore, 'list' | 'end'>;
    readonly accessTokens: Pick<AccessTokenStore, 'list' | 'revoke'>;
  };
}

export const adminClientBulk = [acting<AdminBulkNeeds>(clientBulk, plannedBulk)];

/** Clients of one part: other writes of the tenant wait for it. */
const PART_MAX = 100;

/** A body after its check. */
interface Order {
  readonly action: BulkAction;
  /** In order; undefined for a filter. */
  readonly ids: readonly ClientId[] | undefined;
  readonly filters: ClientFilters;
  readonly scope: readonly string[];
  readonly purge: boolean;
  readonly after: ClientId | undefined;
}

async function plannedBulk(needs: AdminBulkNeeds, call: WriteCall): Promise<Plan> {
  const order = orderOf(call);
  if (order.action === 'revoke_tokens' && !permitsAdmin(call.caller.scope, 'admin:sessions'))
    throw insufficientScope(['admin:sessions'], call.caller.client_id ?? undefined);
  return {
    before: null,
    after: call.query['dry_run'] === 'true' ? await preview(needs, order) : null,
    commit: async () => ({ item: await donePart(needs, call, order) }),
  };
}

function orderOf({ body }: WriteCall): Order {
  const { action, ids, filter, scope, purge, cursor } = body;
  if ((ids === undefined) === (filter === undefined))
    throw wrong(ids === undefined ? '/ids' : '/filter', 'give either ids or filter');
  const filters = filter === undefined ? {} : clientFilters(filter as Parameters);
  if (ids === undefined && Object.keys(filters).length === 0)
    throw wrong('/filter', 'must have at least one filter');
  const takesScope = action === 'add_scope' || action === 'remove_scope';
  if (takesScope !== (scope !== undefined))
    throw wrong('/scope', takesScope ? 'is missing' : 'belongs to add_scope and remove_scope');
  return {
    action: action as BulkAction,
    ids: ids === undefined ? undefined : [...new Set(ids as readonly ClientId[])].toSorted(),
    filters,
    scope: (scope ?? []) as readonly string[],
    purge: purge === true,
    after: typeof cursor === 'string' ? (Buffer.from(cursor, 'base64url').toString() as ClientId) : undefined,
  };
}

const wrong = (pointer: string, detail: string): Problem =>
  new Problem('invalid_body', `${pointer} ${detail}`, { errors: [{ pointer, detail }] });

interface Part {
  readonly clients: readonly ListedClient[];
  readonly missing: readonly ClientId[];
  readonly next: ClientId | undefined;
}

/** Returns the next clients of an order, in the order of their ids. */
async function partOf(
  { registry: { clients, clock }, storage: { clientLists } }: AdminBulkNeeds,
  { ids, filters }: Order,
  after: ClientId | undefined,
  limit: number,
): Promise<Part> {
  if (ids === undefined) {
    const place = after === undefined ? undefined : { key: after, client_id: after };
    const query = { filters, sort: 'id', descending: false, after: place, limit } as const;
    const { found, next } = await findClients({ clientLists, clients, clock }, query);
    return { clients: found, missing: [], next: next?.client_id };
  }
  const left = ids.filter((id) => after === undefined || id > after);
  const asked = left.slice(0, limit);
  const found = await clientLists.read(asked);
  const there = new Map(found.map((one) => [one.client.client_id, one]));
  return {
    clients: asked.flatMap((id) => there.get(id) ?? []),
    missing: asked.filter((id) => !there.has(id)),
    next: left.length > limit ? asked.at(-1) : undefined,
  };
}

const SHOWN_MAX = 10;
/** Clients that a preview counts, and parts that it reads, at most. */
const COUNTED_MAX = 1000;
const PARTS_MAX = 20;

async function preview(needs: AdminBulkNeeds, order: Order): Promise<Item> {
  const first: Item[] = [];
  let matched = 0;
  let after = order.after;
  let parts = 0;
  do {
    const { clients, next } = await partOf(needs, order, after, PART_MAX);
    matched += clients.length;
    for (const { client } of clients.slice(0, SHOWN_MAX - first.length))
      first.push({ client_id: client.client_id, client_name: shownMetadata(client)['client_name'] ?? null });
    after = next;
    parts += 1;
  } while (after !== undefined && matched < COUNTED_MAX && parts < PARTS_MAX);
  return { matched, is_complete: after === undefined, first };
}

async function donePart(needs: AdminBulkNeeds, call: WriteCall, order: Order): Promise<Item> {
  const part = await partOf(needs, order, order.after, PART_MAX);
  const outcome =
    order.action === 'revoke_tokens'
      ? await new TokenEnding(needs, call).end(part.clients, order.after)
      : await changedTogether(needs, call, order, part.clients);
  const next = outcome.stoppedAfter === undefined ? part.next : outcome.stoppedAfter;
  return {
    done: outcome.done,
    unchanged: outcome.unchanged,
    failed: [...part.missing.map((client_id) => ({ client_id, reason: 'not_found' })), ...outcome.failed],
    ...(next === undefined ? {} : { next: Buffer.from(next).toString('base64url') }),
  };
}

export interface BulkOutcome {
  readonly done: readonly ClientId[];
  readonly unchanged: readonly ClientId[];
  readonly failed: readonly { readonly client_id: ClientId; readonly reason: string }[];
  /** Where the work stopped before the end of its part; undefined at the end. */
  readonly stoppedAfter?: ClientId | undefined;
}

/** Changes the clients of a part in one write. A client that another request changed meanwhile fails, and the rest is tried again. */
async function changedTogether(
  needs: AdminBulkNeeds,
  call: WriteCall,
  order: Order,
  clients: readonly ListedClient[],
): Promise<BulkOutcome> {
  const failed: { client_id: ClientId; reason: string }[] = [];
  const unchanged: ClientId[] = [];
  const planned: ClientChange[] = [];
  for (const { client } of clients) {
    try {
      const change = await changeOf(needs, call, order, client);
      if (change === undefined) unchanged.push(client.client_id);
      else planned.push(change);
    } catch (failure) {
      if (!(failure instanceof OAuthError)) throw failure;
      failed.push({ client_id: client.client_id, reason: failure.error_description ?? failure.code });
    }
  }
  const { done, lost } = await writtenTogether(needs, planned);
  call.forget(new Set(lost.map(({ change }) => change.event)));
  failed.push(...lost.map(({ change, reason }) => ({ client_id: change.client.client_id, reason })));
  return { done, unchanged, failed };
}

interface Written {
  readonly done: readonly ClientId[];
  readonly lost: readonly { readonly change: ClientChange; readonly reason: string }[];
}

/** Writes changes together, without those that lost a race. */
async function writtenTogether(
  { registry: { clients } }: AdminBulkNeeds,
  planned: readonly ClientChange[],
): Promise<Written> {
  let changes = planned;
  const lost: { change: ClientChange; reason: string }[] = [];
  while (changes.length > 0) {
    const conflicts = await clients.changeTogether(changes);
    if (conflicts.length === 0) break;
    const indexes = new Set(conflicts.map(({ index }) => index));
    for (const { index, reason } of conflicts) {
      const change = changes[index];
      if (change !== undefined) lost.push({ change, reason });
    }
    changes = changes.filter((_, index) => !indexes.has(index));
  }
  return { done: changes.map(({ client }) => client.client_id), lost };
}

/** Returns the change of one client; undefined if there is nothing to change. @throws OAuthError */
async function changeOf(
  { registry }: AdminBulkNeeds,
  call: WriteCall,
  { action, scope, purge }: Order,
  client: StoredClient,
): Promise<ClientChange | undefined> {
  requireAdminScopeOf(client, call.caller.scope);
  const { client_id } = client;
  if (action === 'delete') {
    const isKept = !purge && isKeptAfterDeletion(registry.settings, { kind: 'master', client });
    const event = call.event({ action: 'client.delete', client_id, detail: purge ? 'purged' : null });
    return { kind: 'delete', client, event, isKept };
  }
  const before = registeredScope(client);
  const others = before.filter((value) => !scope.includes(value));
  const after = action === 'remove_scope' ? others : [...new Set([...before, ...scope])];
  if (after.length === before.length) return undefined;
  const request = requestOf(registry, { ...shownMetadata(client), scope: after.join(' ') });
  const manager = { kind: 'master', client, adminScope: call.caller.scope } as const;
  const stated = { request, statement: undefined, remoteAddress: call.remoteAddress };
  const changed = await administeredClient(registry, manager, stated);
  return {
    kind: 'replace',
    client: changed.client,
    expectedVersion: client.version,
    event: call.event({ client_id, detail: action }),
    versionsMax: keptVersionsMax(registry.settings),
  };
}
