import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Storage } from '../../ports/storage.ts';
import type { StoredTenant, TableRows, TenantQuery } from '../../ports/tenant-store.ts';
import { DEFAULT_TENANT, type TenantId } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, aTenant, EVENT, NOW, OPEN, occurrences, times } from './stored-examples.ts';

const BEGUN = anEvent({ action: 'tenant.delete', actor: 'cli', detail: 'the tenant' });
const ENDED = anEvent({ action: 'tenant.clear', actor: 'server', detail: 'the tenant' });

/** Creates a tenant with clients and the events of their creation. */
async function filled(storage: Storage, tenant = aTenant(), clients = 5): Promise<StoredTenant> {
  assert.equal(await storage.tenants.create(tenant, EVENT), 'created');
  const own = storage.forTenant(tenant.id).clients;
  for (const client of times(clients, () => aClient())) await own.create(client, OPEN);
  return tenant;
}

const begin = async (storage: Storage, { id, version }: StoredTenant): Promise<string> =>
  await storage.tenants.beginDeletion(id, version, NOW, BEGUN);

/** Removes every row, `limit` at a time. Returns what each call removed. */
async function cleared({ tenants }: Storage, id: TenantId, limit: number): Promise<readonly TableRows[]> {
  const all: TableRows[] = [];
  while (true) {
    const removed = await tenants.clear(id, limit);
    if (removed === undefined) return all;
    all.push(removed);
  }
}

export function tenantDeletionContract(make: MakeEngine): void {
  beginning(make);
  removal(make);
  end(make);
  finding(make);
}

function beginning(make: MakeEngine): void {
  test(
    'a deletion closes the tenant for good: it cannot change any more, and its id and names stay taken',
    onEmptyStorage(make, async ({ storage }) => {
      const { tenants } = storage;
      const one = await filled(storage, aTenant({ aliases: ['https://alias.example'] }));
      assert.equal(await tenants.beginDeletion(one.id, 7, NOW, BEGUN), 'conflict');
      assert.equal(await begin(storage, one), 'begun');
      const closed = { ...one, version: 2, disabled_at: NOW, deleted_at: NOW };
      assert.deepEqual(await tenants.all(), [closed]);
      assert.deepEqual(await tenants.deleted(), [{ id: one.id, deleted_at: NOW, cleared_at: null }]);
      assert.equal(await begin(storage, closed), 'conflict');
      const enabled = { ...one, disabled_at: null };
      assert.equal(await tenants.replace(one.id, 2, enabled, EVENT), 'conflict');
      assert.equal(await tenants.create(aTenant({ id: one.id }), EVENT), 'id_deleted');
      assert.equal(await tenants.create(aTenant({ issuer: one.issuer }), EVENT), 'issuer_taken');
      assert.deepEqual(await tenants.all(), [closed]);
    }),
  );

  test(
    'the event of a deletion is in the audit of the default tenant; a refused one leaves no event',
    onEmptyStorage(make, async ({ storage }) => {
      const audit = storage.forTenant(DEFAULT_TENANT).audit;
      const one = await filled(storage, aTenant(), 0);
      await storage.tenants.beginDeletion(one.id, 7, NOW, BEGUN);
      assert.deepEqual(await audit.page(0, 10), []);
      await begin(storage, one);
      assert.deepEqual(await audit.page(0, 10), [{ ...BEGUN, sequence: 1 }]);
      assert.equal((await storage.forTenant(one.id).audit.page(0, 10)).length, 1);
    }),
  );

  test(
    'of parallel deletions of one tenant one begins',
    onEmptyStorage(make, async ({ engine, storage }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const one = await filled(storage, aTenant(), 0);
        const outcomes = await Promise.all(times(8, (at) => begin(at % 2 ? storage : elsewhere, one)));
        assert.equal(occurrences(outcomes, 'begun'), 1);
        assert.equal(occurrences(outcomes, 'conflict'), 7);
      });
    }),
  );
}

function removal(make: MakeEngine): void {
  test(
    'rows are counted up to a maximum; those of a tenant that is not being deleted are not removed',
    onEmptyStorage(make, async ({ storage }) => {
      const { tenants } = storage;
      const one = await filled(storage);
      const counted = new Map(
        (await tenants.contents(one.id, 3)).map(({ table, rows }) => [table, rows] as const),
      );
      assert.deepEqual(
        [counted.get('client'), counted.get('audit_event'), counted.get('session')],
        [3, 3, undefined],
      );
      assert.equal(await tenants.clear(one.id, 100), undefined);
      assert.equal(await tenants.clear(DEFAULT_TENANT, 100), undefined);
      assert.equal((await storage.forTenant(one.id).clients.page(undefined, 10)).length, 5);
    }),
  );

  test(
    'a call removes at most its limit of rows, of one table; the last call finds nothing, and another tenant keeps all',
    onEmptyStorage(make, async ({ storage }) => {
      const { tenants } = storage;
      const [one, other] = [await filled(storage), await filled(storage)];
      const kept = await tenants.contents(other.id, 100);
      await begin(storage, one);
      const before = await tenants.contents(one.id, 100);
      const removed = await cleared(storage, one.id, 2);
      assert.ok(removed.every(({ rows }) => rows <= 2));
      for (const { table, rows } of before) {
        const gone = removed.filter((each) => each.table === table);
        assert.equal(
          gone.reduce((sum, each) => sum + each.rows, 0),
          rows,
          table,
        );
      }
      assert.deepEqual(await tenants.contents(one.id, 100), []);
      assert.deepEqual(await tenants.contents(other.id, 100), kept);
      assert.equal((await storage.forTenant(other.id).clients.page(undefined, 10)).length, 5);
    }),
  );

  test(
    'a call goes on with the table that it is told, and not with an earlier one',
    onEmptyStorage(make, async ({ storage }) => {
      const one = await filled(storage);
      await begin(storage, one);
      assert.equal((await storage.tenants.clear(one.id, 1, 'audit_event'))?.table, 'audit_event');
      assert.equal((await storage.tenants.clear(one.id, 1))?.table, 'open_client_count');
    }),
  );

  test(
    'parallel removals on two views share the work',
    onEmptyStorage(make, async ({ engine, storage }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const one = await filled(storage, aTenant(), 20);
        const rows = (all: readonly TableRows[]): number => all.reduce((sum, each) => sum + each.rows, 0);
        await begin(storage, one);
        const there = rows(await storage.tenants.contents(one.id, 1000));
        const done = await Promise.all([storage, elsewhere].map((view) => cleared(view, one.id, 3)));
        assert.equal(rows(done.flat()), there);
        assert.deepEqual(await elsewhere.tenants.contents(one.id, 1000), []);
      });
    }),
  );
}

function end(make: MakeEngine): void {
  test(
    'the end of a deletion frees the names and keeps the id; it happens once, and only after the beginning',
    onEmptyStorage(make, async ({ engine, storage }) => {
      const { tenants } = storage;
      const one = await filled(storage, aTenant({ aliases: ['https://alias.example'], settings: '{"x":1}' }));
      assert.equal(await tenants.endDeletion(one.id, NOW, ENDED), false);
      await begin(storage, one);
      await cleared(storage, one.id, 100);
      await onSecondView(engine, async (_, elsewhere) => {
        const ends = await Promise.all(
          [tenants, elsewhere.tenants].map((view) => view.endDeletion(one.id, NOW + 1, ENDED)),
        );
        assert.equal(occurrences(ends, true), 1);
      });
      assert.deepEqual(await tenants.all(), []);
      assert.deepEqual(await tenants.deleted(), [{ id: one.id, deleted_at: NOW, cleared_at: NOW + 1 }]);
      assert.equal(await tenants.create(aTenant({ id: one.id }), EVENT), 'id_deleted');
      const heir = aTenant({ issuer: one.issuer, aliases: ['https://alias.example'] });
      assert.equal(await tenants.create(heir, EVENT), 'created');
      assert.deepEqual(await tenants.all(), [heir]);
      const events = await storage.forTenant(DEFAULT_TENANT).audit.page(0, 10);
      assert.deepEqual(
        events.map(({ action }) => action),
        ['tenant.delete', 'tenant.clear'],
      );
    }),
  );

  test(
    'a process that follows the list learns of the beginning as a closed tenant, and of the end as one that is gone',
    onEmptyStorage(make, async ({ storage }) => {
      const { tenants } = storage;
      const [one, other] = [await filled(storage), await filled(storage)];
      const version = await tenants.version();
      await begin(storage, one);
      const closed = { ...one, version: 2, disabled_at: NOW, deleted_at: NOW };
      assert.deepEqual(await tenants.changedSince(version, version + 1), { tenants: [closed], gone: [] });
      await tenants.endDeletion(one.id, NOW, ENDED);
      assert.deepEqual(await tenants.changedSince(version + 1, version + 2), { tenants: [], gone: [one.id] });
      assert.equal(await tenants.version(), version + 2);
      assert.deepEqual(await tenants.all(), [other]);
    }),
  );
}

function finding(make: MakeEngine): void {
  test(
    'a tenant is found by its id in each of its states, and pages have those that match, ordered by id',
    onEmptyStorage(make, async ({ storage }) => {
      const { tenants } = storage;
      const named = (id: string, aliases: readonly string[] = []) =>
        aTenant({ id: id as TenantId, issuer: `https://OP.example/${id}`, aliases: [...aliases] });
      const all = [
        named('a-1'),
        named('a-2', ['https://Login.a.example']),
        named('b-1'),
        named('b_2'),
        named('gone'),
      ];
      for (const each of all) await tenants.create(each, EVENT);
      await tenants.replace('a-2' as TenantId, 1, { ...(all[1] as StoredTenant), disabled_at: NOW }, EVENT);
      await tenants.beginDeletion('b-1' as TenantId, 1, NOW, BEGUN);
      await tenants.beginDeletion('gone' as TenantId, 1, NOW, BEGUN);
      await tenants.endDeletion('gone' as TenantId, NOW + 1, ENDED);
      const ids = async (query: Partial<TenantQuery>): Promise<string> =>
        (await tenants.page({ after: undefined, limit: 10, search: undefined, state: undefined, ...query }))
          .map(({ id }) => id)
          .join(' ');
      assert.equal(await ids({}), 'a-1 a-2 b-1 b_2');
      assert.equal(await ids({ limit: 2 }), 'a-1 a-2');
      assert.equal(await ids({ limit: 2, after: 'a-2' }), 'b-1 b_2');
      assert.equal(await ids({ state: 'active' }), 'a-1 b_2');
      assert.equal(await ids({ state: 'disabled' }), 'a-2');
      assert.equal(await ids({ state: 'deleting' }), 'b-1');
      assert.equal(await ids({ state: 'deleted' }), 'gone');
      assert.equal(await ids({ search: 'login.A' }), 'a-2');
      assert.equal(await ids({ search: 'op.EXAMPLE/b' }), 'b-1 b_2');
      for (const search of ['%', '*', 'a_1', "'"]) assert.equal(await ids({ search }), '', search);
      assert.equal(await ids({ search: '_' }), 'b_2');
      assert.deepEqual(await tenants.find('a-1' as TenantId), { ...all[0], cleared_at: null });
      assert.deepEqual((await tenants.find('a-2' as TenantId))?.aliases, all[1]?.aliases);
      assert.equal((await tenants.find('gone' as TenantId))?.cleared_at, NOW + 1);
      assert.equal(await tenants.find('nothing' as TenantId), undefined);
    }),
  );
}
