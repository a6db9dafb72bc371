import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLIENT_SORTS,
  type ClientCriteria,
  type ClientPlace,
  type ClientSearch,
  type ClientSort,
} from '../../ports/client-lists.ts';
import type { StoredClient } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { listedName, listingOf, term } from '../../spec/client-listing.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, NOW, OPEN, times } from './stored-examples.ts';

/** The lists of clients by name, time and term. */
export function clientListContract(make: MakeEngine): void {
  searching(make);
  following(make);
  filling(make);
  reading(make);
}

const GRANTS = ['authorization_code', 'client_credentials', 'refresh_token'];
const NAMES = ['', 'Shop', 'shop 2', 'Ｓｈｏｐ', 'Ünïcode 🦊', 'Workshop', '100% _real_', '<script>'];
const HOSTS = ['https://a.example/cb', 'https://b.example:8443/cb', 'http://127.0.0.1/cb', 'cursor://cb/x'];

const pick = <T>(values: readonly T[], seed: number): T => values[seed % values.length] as T;

/** Returns a client whose values depend on a number. */
function aListedClient(seed: number): StoredClient {
  const metadata = {
    client_name: pick(NAMES, seed),
    grant_types: [pick(GRANTS, seed), pick(GRANTS, seed >> 1)],
    redirect_uris: [pick(HOSTS, seed >> 2), pick(HOSTS, seed)],
    token_endpoint_auth_method: seed % 3 === 0 ? 'none' : 'client_secret_basic',
    scope: seed % 4 === 0 ? '' : `openid s${seed % 5}`,
  };
  const secret = { digest: `d${seed}`, sealed: 's', created_at: NOW, expires_at: NOW + (seed % 7) * 100 };
  return aClient({
    metadata: JSON.stringify(metadata),
    issued_at: NOW + (seed % 6),
    registered_via: pick(
      ['open', 'cli', 'initial:team', 'master:ops', 'federation:https://ta.example'],
      seed,
    ),
    privileges: '{"scope":["s9"]}',
    secrets: seed % 3 === 0 ? [] : [secret as unknown as StoredClient['secrets'][number]],
    expires_at: seed % 5 === 0 ? NOW + (seed % 11) : null,
    entity_id: seed % 10 === 4 ? `https://e${seed}.example` : null,
    owner: seed % 8 === 1 ? 'team' : null,
  });
}

const eventOf = ({ client_id }: StoredClient) => anEvent({ client_id });

async function created(tenant: TenantStorage, clients: readonly StoredClient[]): Promise<void> {
  await Promise.all(
    clients.map((client) => tenant.clients.create(client, { ...OPEN, event: eventOf(client) })),
  );
}

async function caughtUp({ clientLists }: TenantStorage, limit = 1000): Promise<number> {
  for (let step = 1; ; step += 1) if (!(await clientLists.catchUp(limit))) return step;
}

const NO_CRITERIA: ClientCriteria = { terms: [] };
const SEARCH: ClientSearch = {
  criteria: NO_CRITERIA,
  sort: 'id',
  descending: false,
  limit: 3,
  budget_ms: 10_000,
};

/** Reads all pages of a search. */
async function idsOf(tenant: TenantStorage, search: Partial<ClientSearch>): Promise<readonly ClientId[]> {
  const ids: ClientId[] = [];
  let after: ClientPlace | undefined;
  for (;;) {
    const asked = { ...SEARCH, ...search, ...(after === undefined ? {} : { after }) };
    const page: Awaited<ReturnType<TenantStorage['clientLists']['search']>> =
      await tenant.clientLists.search(asked);
    assert.ok(page.found.length <= asked.limit);
    ids.push(...page.found.map(({ client }) => client.client_id));
    if (page.next === undefined) return ids;
    after = page.next;
  }
}

/** The same search, as a loop over all clients. */
function expected(
  clients: readonly StoredClient[],
  used: ReadonlyMap<string, number>,
  criteria: ClientCriteria,
  sort: ClientSort,
  descending: boolean,
): readonly ClientId[] {
  const within = <V extends string | number>(
    value: V | null,
    span: { readonly from?: V; readonly until?: V } | undefined,
  ): boolean =>
    span === undefined ||
    (value !== null &&
      (span.from === undefined || value >= span.from) &&
      (span.until === undefined || value < span.until));
  const rows = clients.map((client) => ({
    client,
    ...listingOf(client),
    used: used.get(client.client_id) ?? 0,
  }));
  const matching = rows.filter(
    ({ client, name, terms, secret_expires_at, used: last }) =>
      criteria.terms.every((wanted) => terms.includes(wanted)) &&
      within(name, criteria.name) &&
      (criteria.namePart === undefined || name.includes(criteria.namePart)) &&
      within(client.issued_at, criteria.created) &&
      within(last, criteria.used) &&
      within(secret_expires_at, criteria.secretEnd) &&
      within(client.expires_at, criteria.end) &&
      (criteria.livingAt === undefined ||
        client.expires_at === null ||
        client.expires_at > criteria.livingAt),
  );
  const key = (row: (typeof rows)[number]): Buffer | number =>
    sort === 'id'
      ? Buffer.from(row.client.client_id)
      : sort === 'name'
        ? Buffer.from(row.name)
        : sort === 'created'
          ? row.client.issued_at
          : row.used;
  const compare = (a: Buffer | number, b: Buffer | number): number =>
    typeof a === 'number' || typeof b === 'number' ? Number(a) - Number(b) : a.compare(b);
  const sorted = matching.toSorted(
    (a, b) => compare(key(a), key(b)) || (a.client.client_id < b.client.client_id ? -1 : 1),
  );
  return (descending ? sorted.toReversed() : sorted).map(({ client }) => client.client_id);
}

const CRITERIA: readonly ClientCriteria[] = [
  NO_CRITERIA,
  { terms: [term('type', 'public')] },
  { terms: [term('grant', 'client_credentials'), term('scope', 'openid')] },
  { terms: [term('redirect', 'a.example')] },
  { terms: [term('redirect', 'cursor:')] },
  { terms: [term('via', 'initial:team')], livingAt: NOW + 4 },
  { terms: [term('origin', 'federation')], end: { until: NOW + 6 } },
  { terms: [term('entity', 'https://e4.example')] },
  { terms: [term('owner', 'team')], used: { until: 1 } },
  { terms: [], name: { from: 'shop', until: `shop\u{10ffff}` } },
  { terms: [], namePart: listedName('SHOP') },
  { terms: [], namePart: '%' },
  { terms: [], namePart: '_' },
  { terms: [], namePart: '🦊' },
  { terms: [], created: { from: NOW + 2, until: NOW + 4 } },
  { terms: [], used: { from: NOW, until: NOW + 5 } },
  { terms: [], secretEnd: { from: NOW + 100, until: NOW + 500 } },
  { terms: [], end: { from: 0, until: NOW + 5 } },
  { terms: [], livingAt: NOW + 5 },
  { terms: [term('scope', 's9')], created: { from: NOW + 1 } },
];

function searching(make: MakeEngine): void {
  test(
    'each search returns the clients that meet its criteria, each once, in each order and both directions',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const clients = times(60, aListedClient);
      await created(tenant, clients);
      await created(other, times(5, aListedClient));
      const used = new Map(
        clients.slice(0, 25).map(({ client_id }, index) => [client_id, NOW + (index % 9)]),
      );
      const [first, ...rest] = clients.slice(0, 25);
      await recordUses(tenant, first === undefined ? [] : [first], used);
      await caughtUp(tenant);
      // Uses count whether they were recorded before the client was listed or after it.
      await recordUses(tenant, rest, used);
      assert.equal(await tenant.clientLists.isBehind(), false);
      for (const criteria of CRITERIA) {
        for (const sort of CLIENT_SORTS) {
          for (const descending of [false, true]) {
            const wanted = expected(clients, used, criteria, sort, descending);
            const words = JSON.stringify({ criteria, sort, descending });
            // A page that is larger than the list, and pages that split it.
            for (const limit of criteria === NO_CRITERIA ? [7, 100] : [100])
              assert.deepEqual(await idsOf(tenant, { criteria, sort, descending, limit }), wanted, words);
          }
        }
      }
      const criteria = { terms: [term('type', 'confidential')] };
      for (const sort of CLIENT_SORTS)
        assert.deepEqual(
          await idsOf(tenant, { criteria, sort, limit: 7 }),
          expected(clients, used, criteria, sort, false),
          sort,
        );
    }),
  );

  test(
    'a search ends when its time is over, with a place to go on from, and finds everything so, whether it reads a list whole or walks',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = times(700, (index) =>
        aClient({ metadata: JSON.stringify({ client_name: index === 650 ? 'needle' : `hay ${index}` }) }),
      );
      await created(tenant, clients);
      await caughtUp(tenant);
      const criteria = { terms: [], namePart: 'needle' };
      const search = { ...SEARCH, criteria, sort: 'name', budget_ms: 0 } as const;
      const { found, next } = await tenant.clientLists.search(search);
      assert.deepEqual(found, []);
      assert.ok(next !== undefined);
      assert.deepEqual(await idsOf(tenant, search), [clients[650]?.client_id]);
      const among = { terms: [term('type', 'confidential')], namePart: 'hay 6' };
      const collected = await idsOf(tenant, { criteria: among, sort: 'name', limit: 7 });
      assert.equal(collected.length, 110);
      assert.deepEqual(
        await idsOf(tenant, { criteria: among, sort: 'name', limit: 7, budget_ms: 0 }),
        collected,
      );
    }),
  );
}

async function recordUses(
  tenant: TenantStorage,
  clients: readonly StoredClient[],
  used: ReadonlyMap<string, number>,
): Promise<void> {
  await tenant.clients.recordUses(
    clients.map(({ client_id, instance }) => ({
      client_id,
      instance,
      secret_digest: null,
      last_used_at: used.get(client_id) ?? 0,
    })),
  );
}

const named = (client: StoredClient, client_name: string): StoredClient => ({
  ...client,
  version: client.version + 1,
  metadata: JSON.stringify({ client_name, grant_types: ['client_credentials'] }),
});

const namedIds = async (tenant: TenantStorage, name: string): Promise<readonly ClientId[]> =>
  await idsOf(tenant, { criteria: { terms: [], namePart: name } });

function following(make: MakeEngine): void {
  test(
    'lists follow creations, changes and deletions, also those of another process, and know when they are behind',
    onEmptyStorage(make, async ({ tenant, engine }) => {
      const { clientLists } = tenant;
      assert.equal(await clientLists.isBehind(), true);
      await caughtUp(tenant);
      assert.equal(await clientLists.isBehind(), false);
      const client = named(aClient(), 'before');
      await created(tenant, [client]);
      assert.equal(await clientLists.isBehind(), true);
      await caughtUp(tenant);
      assert.deepEqual(await namedIds(tenant, 'before'), [client.client_id]);
      const grants = { terms: [term('grant', 'client_credentials')] };
      assert.deepEqual(await idsOf(tenant, { criteria: grants }), [client.client_id]);
      const changed = { ...named(client, 'after'), metadata: '{"client_name":"after"}' };
      await onSecondView(engine, async (second) => {
        assert.equal(await second.clients.replace(changed, client.version, eventOf(client)), 'done');
      });
      await caughtUp(tenant);
      assert.deepEqual(await namedIds(tenant, 'before'), []);
      assert.deepEqual(await namedIds(tenant, 'after'), [client.client_id]);
      assert.deepEqual(await idsOf(tenant, { criteria: grants }), []);
      await tenant.clients.delete(changed, eventOf(changed));
      // Not in a page before the lists have followed, and not after it.
      assert.deepEqual(await namedIds(tenant, 'after'), []);
      await caughtUp(tenant);
      assert.deepEqual(await idsOf(tenant, {}), []);
      const again = named(aClient({ client_id: client.client_id, issued_at: NOW + 9 }), 'again');
      await tenant.clients.create(again, { ...OPEN, reuseDeletedId: true, event: eventOf(again) });
      await caughtUp(tenant);
      assert.deepEqual(await namedIds(tenant, 'after'), []);
      assert.deepEqual(await idsOf(tenant, { criteria: grants }), [client.client_id]);
    }),
  );

  test(
    'events of other things leave lists as they are',
    onEmptyStorage(make, async ({ tenant }) => {
      await caughtUp(tenant);
      for (const action of ['account.create', 'session.end'] as const)
        await tenant.audit.append(anEvent({ action, client_id: 'x' }));
      await tenant.audit.append(anEvent({ outcome: 'refused', client_id: 'x' }));
      assert.equal(await tenant.clientLists.isBehind(), false);
    }),
  );
}

function filling(make: MakeEngine): void {
  test(
    'clients from before the lists are listed a few at a time, beside new ones, once by several processes',
    onEmptyStorage(make, async ({ tenant, engine }) => {
      const old = times(20, aListedClient);
      await created(tenant, old);
      assert.equal(await tenant.clientLists.catchUp(6), true);
      const fresh = times(5, (index) => aListedClient(index + 20));
      await created(tenant, fresh);
      await onSecondView(engine, async (second) => {
        await Promise.all([caughtUp(tenant, 4), caughtUp(second, 4)]);
      });
      assert.equal(await tenant.clientLists.isBehind(), false);
      const all = expected([...old, ...fresh], new Map(), NO_CRITERIA, 'name', false);
      assert.deepEqual(await idsOf(tenant, { sort: 'name', limit: 10 }), all);
    }),
  );

  test(
    'lists whose events were swept before they followed them are filled again',
    onEmptyStorage(make, async ({ tenant }) => {
      await caughtUp(tenant);
      const client = aListedClient(1);
      await created(tenant, [client, aListedClient(2)]);
      await tenant.audit.sweep(NOW + 1, 100);
      assert.equal(await tenant.clientLists.isBehind(), true);
      await caughtUp(tenant);
      assert.equal((await idsOf(tenant, {})).length, 2);
      await created(tenant, [aListedClient(3)]);
      await tenant.audit.sweep(NOW + 1, 100);
      await tenant.audit.append(anEvent({ client_id: client.client_id }));
      await caughtUp(tenant);
      assert.equal((await idsOf(tenant, {})).length, 3);
    }),
  );
}

function reading(make: MakeEngine): void {
  test(
    'a client that stays as it is appears once while others come, go and change between the pages',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = times(30, aListedClient);
      await created(tenant, clients);
      await caughtUp(tenant);
      for (const sort of CLIENT_SORTS) {
        const seen: ClientId[] = [];
        let after: ClientPlace | undefined;
        let turn = 0;
        const leaving: StoredClient[] = [];
        do {
          const asked = { ...SEARCH, sort, limit: 4, ...(after === undefined ? {} : { after }) };
          const page: Awaited<ReturnType<TenantStorage['clientLists']['search']>> =
            await tenant.clientLists.search(asked);
          seen.push(...page.found.map(({ client }) => client.client_id));
          after = page.next;
          for (const gone of leaving.splice(0)) await tenant.clients.delete(gone, eventOf(gone));
          const passing = aListedClient((turn += 10));
          await created(tenant, [passing]);
          leaving.push(passing);
          await caughtUp(tenant);
        } while (after !== undefined);
        for (const gone of leaving) await tenant.clients.delete(gone, eventOf(gone));
        await caughtUp(tenant);
        const stayed = clients.map(({ client_id }) => client_id);
        assert.equal(new Set(seen).size, seen.length, sort);
        assert.deepEqual(
          stayed.filter((id) => !seen.includes(id)),
          [],
          sort,
        );
      }
    }),
  );
}
