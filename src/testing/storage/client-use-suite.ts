import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClientUse, StoredClient } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { ClientId, ClientInstance, Digest } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { aClient, EVENT, NOW, OPEN, times } from './stored-examples.ts';

export function clientUseContract(make: MakeEngine): void {
  recording(make);
  deaths(make);
  idle(make);
  manyClients(make);
}

const aUse = (
  client: StoredClient,
  last_used_at: number,
  secret_digest: string | null = null,
): ClientUse => ({
  client_id: client.client_id,
  instance: client.instance,
  secret_digest: secret_digest as Digest | null,
  last_used_at,
});

const byId = (one: StoredClient, other: StoredClient): number => (one.client_id < other.client_id ? -1 : 1);

async function made(
  tenant: TenantStorage,
  count: number,
  values: Partial<StoredClient> = {},
): Promise<StoredClient[]> {
  const clients = times(count, () => aClient(values)).toSorted(byId);
  await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
  return clients;
}

const byDigest = (uses: readonly ClientUse[]): ClientUse[] =>
  uses.toSorted((a, b) => ((a.secret_digest ?? '') < (b.secret_digest ?? '') ? -1 : 1));

function recording(make: MakeEngine): void {
  test(
    'the latest use is kept for each client and secret, in whatever order uses are recorded',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [first, second] = (await made(tenant, 2)) as [StoredClient, StoredClient];
      assert.deepEqual(await tenant.clients.uses(first), []);
      await tenant.clients.recordUses([]);
      await tenant.clients.recordUses([
        aUse(first, NOW + 5, 'a'),
        aUse(first, NOW + 1),
        aUse(second, NOW + 7, 'a'),
        aUse(first, NOW + 3, 'a'),
      ]);
      await Promise.all([
        tenant.clients.recordUses([aUse(first, NOW + 9), aUse(second, NOW + 6, 'a')]),
        tenant.clients.recordUses([aUse(first, NOW + 8), aUse(first, NOW + 2, 'b')]),
      ]);
      assert.deepEqual(byDigest(await tenant.clients.uses(first)), [
        aUse(first, NOW + 9),
        aUse(first, NOW + 5, 'a'),
        aUse(first, NOW + 2, 'b'),
      ]);
      assert.deepEqual(await tenant.clients.uses(second), [aUse(second, NOW + 7, 'a')]);
      assert.deepEqual(await other.clients.uses(first), []);
    }),
  );
}

function deaths(make: MakeEngine): void {
  test(
    'uses of clients that are gone, unknown or of another tenant are dropped, and those beside them are not',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [gone, alive] = (await made(tenant, 2)) as [StoredClient, StoredClient];
      const [foreign] = (await made(other, 1)) as [StoredClient];
      await tenant.clients.recordUses([aUse(gone, NOW)]);
      await tenant.clients.delete(gone, EVENT);
      await tenant.clients.recordUses(
        [gone, alive, foreign, aClient()].map((client) => aUse(client, NOW + 1)),
      );
      assert.deepEqual(await tenant.clients.uses(gone), []);
      assert.deepEqual(await tenant.clients.uses(foreign), []);
      assert.deepEqual(await tenant.clients.uses(alive), [aUse(alive, NOW + 1)]);
    }),
  );

  test(
    'an id that is registered again does not inherit uses, nor does a late use of its predecessor count for it',
    onEmptyStorage(make, async ({ tenant }) => {
      const [old] = (await made(tenant, 1)) as [StoredClient];
      const successor = aClient({ client_id: old.client_id });
      await tenant.clients.recordUses([aUse(old, NOW + 50)]);
      await tenant.clients.delete(old, EVENT);
      await tenant.clients.create(successor, { ...OPEN, reuseDeletedId: true });
      await tenant.clients.recordUses([aUse(old, NOW + 60)]);
      assert.deepEqual(await tenant.clients.uses(successor), []);
      assert.deepEqual(await tenant.clients.uses(old), []);
      assert.deepEqual(await tenant.clients.idle(NOW + 1, undefined, 10), [successor]);
    }),
  );
}

/** Reads all idle clients in pages of this size. The order of pages is the engine's own. */
async function idleClients(
  { clients }: TenantStorage,
  before: number,
  limit: number,
): Promise<readonly StoredClient[]> {
  const found: StoredClient[] = [];
  for (;;) {
    const page = await clients.idle(before, found.at(-1), limit);
    assert.ok(page.length <= limit);
    found.push(...page);
    if (page.length < limit) return found.sort(byId);
  }
}

function idle(make: MakeEngine): void {
  test(
    'idle is who was registered open or by a document, and issued and last used, with any secret, before the time',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [never, before, after, mixed] = (await made(tenant, 4)) as [
        StoredClient,
        StoredClient,
        StoredClient,
        StoredClient,
      ];
      await made(tenant, 1, { issued_at: NOW + 10 });
      await made(tenant, 3, { registered_via: 'master:ops' });
      const [documented] = await made(tenant, 1, { registered_via: 'document', client_id: 'zz' as ClientId });
      await made(other, 2);
      await tenant.clients.recordUses([
        aUse(before, NOW + 9, 'a'),
        aUse(after, NOW + 10),
        aUse(mixed, NOW + 2, 'a'),
        aUse(mixed, NOW + 20, 'b'),
      ]);
      assert.deepEqual(await idleClients(tenant, NOW + 10, 10), [never, before, documented]);
      assert.deepEqual(await idleClients(tenant, NOW, 10), []);
      assert.deepEqual(await idleClients(tenant, NOW + 10, 1), [never, before, documented]);
      const replaced = { ...never, version: 2, registered_via: 'master:ops' };
      await tenant.clients.replace(replaced, 1, EVENT);
      assert.deepEqual(await idleClients(tenant, NOW + 10, 10), [before, documented]);
    }),
  );

  test(
    'pages hold every idle client once',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = await made(tenant, 40);
      const used = clients.filter((_, index) => index % 4 === 0);
      await tenant.clients.recordUses(used.map((client) => aUse(client, NOW + 100)));
      assert.deepEqual(
        await idleClients(tenant, NOW + 100, 7),
        clients.filter((_, index) => index % 4 !== 0),
      );
    }),
  );
}

function manyClients(make: MakeEngine): void {
  test(
    'the one idle client behind thousands that are not is found, and others have their turn meanwhile',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = await made(tenant, 1250);
      await made(tenant, 1250, { registered_via: 'master:ops' });
      const last = aClient({ client_id: '~last' as ClientId, instance: '~last' as ClientInstance });
      await tenant.clients.create(last, OPEN);
      await tenant.clients.recordUses(clients.map((client) => aUse(client, NOW + 5)));
      let turns = 0;
      let searching = true;
      const turn = (): void => {
        turns += 1;
        if (searching) setImmediate(turn);
      };
      setImmediate(turn);
      const found = await tenant.clients.idle(NOW + 1, undefined, 10);
      searching = false;
      assert.deepEqual(found, [last]);
      assert.ok(turns >= 2, `${turns} turns`);
    }),
  );
}
