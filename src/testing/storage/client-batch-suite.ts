import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientChange, StoredClient } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { ClientId, ClientInstance } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { aClient, anEvent, NOW, OPEN, times } from './stored-examples.ts';

const created = (client: StoredClient): ClientChange => ({
  kind: 'create',
  client,
  event: anEvent({ action: 'client.create', client_id: client.client_id }),
});

const replaced = (client: StoredClient, expectedVersion: number): ClientChange => ({
  kind: 'replace',
  client,
  expectedVersion,
  event: anEvent({ action: 'client.update', client_id: client.client_id }),
  versionsMax: 5,
});

const deleted = (client: StoredClient): ClientChange => ({
  kind: 'delete',
  client,
  event: anEvent({ action: 'client.delete', client_id: client.client_id }),
  isKept: true,
});

const operators = (values: Partial<StoredClient> = {}): StoredClient =>
  aClient({ registered_via: 'cli', owner: 'shop', ...values });

const named = (...clients: readonly StoredClient[]): readonly StoredClient[] =>
  clients.toSorted((a, b) => (a.client_id < b.client_id ? -1 : 1));

async function actions(tenant: TenantStorage): Promise<readonly (readonly [string, string | null])[]> {
  return (await tenant.audit.page(0, 100)).map(({ action, client_id }) => [action, client_id]);
}

export function clientBatchContract(make: MakeEngine): void {
  together(make);
  conflicting(make);
  owners(make);
}

function together(make: MakeEngine): void {
  test(
    'a batch creates, replaces and deletes clients together, and records each change',
    onEmptyStorage(make, async ({ tenant }) => {
      const [kept, gone, fresh] = [operators(), operators(), operators()];
      for (const client of [kept, gone]) await tenant.clients.create(client, OPEN);
      const before = (await actions(tenant)).length;
      const changed = { ...kept, version: 2, metadata: '{"client_name":"new"}' };
      const outcome = await tenant.clients.changeTogether([
        created(fresh),
        replaced(changed, 1),
        deleted(gone),
      ]);
      assert.deepEqual(outcome, []);
      assert.deepEqual(await tenant.clients.page(undefined, 10), named(changed, fresh));
      const former = await tenant.clientHistory.versions(kept, undefined, 9);
      assert.deepEqual(
        former.map(({ version, metadata }) => [version, metadata]),
        [[1, kept.metadata]],
      );
      assert.equal((await tenant.clientHistory.deleted(gone.client_id))?.instance, gone.instance);
      assert.deepEqual((await actions(tenant)).slice(before), [
        ['client.create', fresh.client_id],
        ['client.update', kept.client_id],
        ['client.delete', gone.client_id],
      ]);
    }),
  );

  test(
    'a batch deletes a client and creates it again as another instance, and creates a client that was deleted before',
    onEmptyStorage(make, async ({ tenant }) => {
      const [old, buried] = [operators(), operators()];
      for (const client of [old, buried]) await tenant.clients.create(client, OPEN);
      await tenant.clients.delete(buried, anEvent());
      const [again, raised] = [
        operators({ client_id: old.client_id }),
        operators({ client_id: buried.client_id }),
      ];
      assert.deepEqual(
        await tenant.clients.changeTogether([deleted(old), created(again), created(raised)]),
        [],
      );
      assert.deepEqual(await tenant.clients.page(undefined, 10), named(again, raised));
    }),
  );

  test(
    'a batch keeps the number of clients of open registration',
    onEmptyStorage(make, async ({ tenant }) => {
      const [adopted, gone] = [aClient(), aClient()];
      for (const client of [adopted, gone]) await tenant.clients.create(client, OPEN);
      const taken = { ...adopted, version: 2, registered_via: 'cli', owner: 'shop' };
      assert.deepEqual(await tenant.clients.changeTogether([replaced(taken, 1), deleted(gone)]), []);
      assert.equal(await tenant.clients.countOpen(), 0);
    }),
  );
}

function conflicting(make: MakeEngine): void {
  test(
    'a batch with a conflict changes and records nothing, and names every conflict',
    onEmptyStorage(make, async ({ tenant }) => {
      const [moved, there, fresh, absent, twice] = times(5, () => operators());
      assert.ok(moved && there && fresh && absent && twice);
      for (const client of [moved, there]) await tenant.clients.create(client, OPEN);
      await tenant.clients.replace({ ...moved, version: 2 }, 1);
      const before = await actions(tenant);
      const otherInstance = { ...there, instance: 'other' as ClientInstance };
      const conflicts = await tenant.clients.changeTogether([
        created(fresh),
        replaced({ ...moved, version: 2, metadata: '{}' }, 1),
        created(operators({ client_id: there.client_id })),
        deleted(absent),
        deleted(otherInstance),
        created(twice),
        created(operators({ client_id: twice.client_id })),
      ]);
      assert.deepEqual(conflicts, [
        { index: 1, reason: 'changed_meanwhile' },
        { index: 2, reason: 'taken' },
        { index: 3, reason: 'absent' },
        { index: 4, reason: 'changed_meanwhile' },
        { index: 6, reason: 'taken' },
      ]);
      assert.deepEqual(await tenant.clients.page(undefined, 10), named({ ...moved, version: 2 }, there));
      assert.deepEqual(await actions(tenant), before);
    }),
  );

  test(
    'of ten parallel batches on the same versions exactly one is done, whole',
    onEmptyStorage(make, async ({ tenant }) => {
      const [one, other] = [operators(), operators()];
      for (const client of [one, other]) await tenant.clients.create(client, OPEN);
      const outcomes = await Promise.all(
        times(10, async (index) => {
          const metadata = `{"n":${index}}`;
          const changes = [one, other].map((client) => replaced({ ...client, version: 2, metadata }, 1));
          return await tenant.clients.changeTogether(index % 2 === 0 ? changes : changes.toReversed());
        }),
      );
      const winner = outcomes.findIndex((conflicts) => conflicts.length === 0);
      assert.equal(outcomes.filter((conflicts) => conflicts.length === 2).length, 9);
      const stored = await tenant.clients.page(undefined, 10);
      assert.deepEqual(
        stored.map(({ metadata }) => metadata),
        [`{"n":${winner}}`, `{"n":${winner}}`],
      );
    }),
  );

  test(
    'a batch on one tenant does not see the clients of another',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = operators();
      await tenant.clients.create(client, OPEN);
      assert.deepEqual(await other.clients.changeTogether([deleted(client)]), [
        { index: 0, reason: 'absent' },
      ]);
      const namesake = operators({ client_id: client.client_id });
      assert.deepEqual(await other.clients.changeTogether([created(namesake)]), []);
      assert.deepEqual(await tenant.clients.find(client.client_id), client);
    }),
  );
}

function owners(make: MakeEngine): void {
  test(
    'the clients of one owner come in pages in the order of their ids, without those of others',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const ids = ['A', 'b', 'c', 'é'].map((id) => id as ClientId);
      for (const client_id of ids) await tenant.clients.create(operators({ client_id }), OPEN);
      await tenant.clients.create(operators({ owner: 'Shop' }), OPEN);
      await tenant.clients.create(operators({ owner: null }), OPEN);
      await other.clients.create(operators(), OPEN);
      const page = async (after: ClientId | undefined, limit: number): Promise<readonly string[]> =>
        (await tenant.clients.ofOwner('shop', after, limit)).map(({ client_id }) => client_id);
      assert.deepEqual(await page(undefined, 2), ['A', 'b']);
      assert.deepEqual(await page('b' as ClientId, 10), ['c', 'é']);
      assert.deepEqual(await tenant.clients.ofOwner('nobody', undefined, 10), []);
    }),
  );

  test(
    'a replacement gives a client an owner and takes it',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const owned = { ...client, version: 2, owner: 'shop' };
      await tenant.clients.replace(owned, 1, anEvent({ at: NOW }));
      assert.deepEqual(await tenant.clients.ofOwner('shop', undefined, 10), [owned]);
      await tenant.clients.replace({ ...owned, version: 3, owner: null }, 2);
      assert.deepEqual(await tenant.clients.ofOwner('shop', undefined, 10), []);
    }),
  );
}
