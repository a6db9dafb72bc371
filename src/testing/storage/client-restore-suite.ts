import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { Digest } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { asVersion, changed, created, deleted, OPERATOR, SECRET, versionsOf } from './former-versions.ts';
import {
  aClient,
  aGrant,
  anEvent,
  aTokenOf,
  EVENT,
  NOW,
  OPEN,
  occurrences,
  times,
} from './stored-examples.ts';

/** Tests how deleted clients come back. */
export function clientRestoreContract(make: MakeEngine): void {
  restoring(make);
  racesWithRegistrations(make);
  otherRaces(make);
}

/** Returns the client that continues a deleted one. */
const continued = (client: StoredClient, values: Partial<StoredClient> = {}): StoredClient =>
  aClient({ ...client, instance: aClient().instance, version: client.version + 1, ...values });

const RESTORATION = anEvent({ action: 'client.restore', actor: 'cli', request_id: 'r3', at: NOW + 20 });

function restoring(make: MakeEngine): void {
  test(
    'a restored client continues its history without the secrets of former versions, and its tokens and grants stay ended',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = await changed(tenant, await created(tenant, { secrets: [SECRET] }));
      const grant = aGrant(client);
      const token = aTokenOf(grant);
      await tenant.grants.create(grant, token);
      await deleted(tenant, client);
      const again = continued(client, { secrets: [SECRET] });
      assert.equal(await tenant.clientHistory.restore(again, client, RESTORATION), 'restored');
      assert.deepEqual(await tenant.clients.find(client.client_id), again);
      assert.equal(await tenant.clientHistory.deleted(client.client_id), undefined);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      const [last, first] = await versionsOf(tenant, again);
      assert.deepEqual(last, { ...asVersion(client, RESTORATION), instance: again.instance, secrets: [] });
      assert.deepEqual([first?.version, first?.secrets, first?.actor], [1, [], OPERATOR.actor]);
      assert.deepEqual(await versionsOf(tenant, client), []);
      const events = await tenant.audit.page(0, 100);
      assert.deepEqual(events.at(-1)?.action, 'client.restore');
      assert.equal(await tenant.clientHistory.restore(again, client, RESTORATION), 'absent');
    }),
  );

  test(
    'a client is not restored beside one with its identifier, its shared digest or its entity; nothing is recorded then',
    onEmptyStorage(make, async ({ tenant }) => {
      const unique = { shared_digest: 'shared' as Digest, entity_id: 'https://rp.example' };
      const outcomes: string[] = [];
      for (const rival of ['client_id', 'shared_digest', 'entity_id'] as const) {
        const client = await created(tenant, unique);
        await deleted(tenant, client);
        const other = await created(tenant, { [rival]: client[rival] });
        outcomes.push(await tenant.clientHistory.restore(continued(client), client, RESTORATION));
        assert.deepEqual(await tenant.clients.find(other.client_id), other);
        assert.equal((await tenant.clientHistory.deleted(client.client_id))?.instance, client.instance);
        await tenant.clients.delete(other, EVENT);
      }
      assert.deepEqual(outcomes, ['client_id_taken', 'identical_exists', 'entity_exists']);
      const actions = (await tenant.audit.page(0, 100)).map(({ action }) => action);
      assert.equal(actions.includes('client.restore'), false);
    }),
  );

  test(
    'a restored client counts as registered openly again',
    onEmptyStorage(make, async ({ tenant }) => {
      const [open, other] = [await created(tenant), await created(tenant, { registered_via: 'cli' })];
      for (const client of [open, other]) await deleted(tenant, client);
      assert.equal(await tenant.clients.countOpen(), 0);
      for (const client of [open, other])
        await tenant.clientHistory.restore(continued(client), client, RESTORATION);
      assert.equal(await tenant.clients.countOpen(), 1);
    }),
  );
}

function racesWithRegistrations(make: MakeEngine): void {
  const rivals: Readonly<Record<string, (client: StoredClient) => Partial<StoredClient>>> = {
    'the same identifier': ({ client_id }) => ({ client_id, shared_digest: null, entity_id: null }),
    'the same shared digest': ({ shared_digest }) => ({ shared_digest }),
  };
  for (const [what, values] of Object.entries(rivals)) {
    test(
      `of a restoration and a registration with ${what} on two nodes exactly one succeeds (H-521)`,
      onEmptyStorage(make, async ({ engine, tenant }) => {
        await onSecondView(engine, async (second) => {
          for (const index of times(10, (step) => step)) {
            const client = await created(tenant, { shared_digest: `d${index}` as Digest });
            await deleted(tenant, client);
            const rival = aClient(values(client));
            const restore = async () =>
              await tenant.clientHistory.restore(continued(client), client, RESTORATION);
            const create = async () => await second.clients.create(rival, { ...OPEN, reuseDeletedId: true });
            const acts = index % 2 === 0 ? [restore, create] : [create, restore];
            const outcomes = await Promise.all(acts.map(async (act) => await act()));
            const isRestored = outcomes.includes('restored');
            assert.equal(outcomes.includes('created'), !isRestored, outcomes.join());
            const there = (await tenant.clients.page(undefined, 100)).filter(
              ({ client_id, shared_digest }) =>
                client_id === client.client_id || shared_digest === client.shared_digest,
            );
            assert.equal(there.length, 1);
            assert.equal((await tenant.clientHistory.deleted(client.client_id)) === undefined, isRestored);
          }
        });
      }),
    );
  }
}

function otherRaces(make: MakeEngine): void {
  test(
    'an entity that registers while its deleted client is restored has one client afterwards (H-521)',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        for (const index of times(10, (step) => step)) {
          const entity_id = `https://rp${index}.example`;
          const client = await created(tenant, { entity_id });
          await deleted(tenant, client);
          const rival = aClient({ entity_id });
          const [restored, registered] = await Promise.all([
            tenant.clientHistory.restore(continued(client), client, RESTORATION),
            second.clients.create(rival, { ...OPEN, endEvent: EVENT }),
          ]);
          // A registration of an entity replaces the one that it has.
          assert.equal(registered, 'created');
          assert.ok(restored === 'restored' || restored === 'entity_exists', restored);
          assert.deepEqual(await tenant.clients.findOfEntity(entity_id), rival);
          assert.equal(await tenant.clients.find(client.client_id), undefined);
        }
      });
    }),
  );

  test(
    'of ten restorations of one client on two nodes exactly one succeeds',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const client = await created(tenant);
        await deleted(tenant, client);
        const outcomes = await Promise.all(
          times(10, (index) =>
            (index % 2 === 0 ? tenant : second).clientHistory.restore(continued(client), client, RESTORATION),
          ),
        );
        assert.equal(occurrences(outcomes, 'restored'), 1);
        assert.equal(occurrences(outcomes, 'absent'), 9);
        assert.equal(await tenant.clients.countOpen(), 1);
      });
    }),
  );
}
