import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FormerVersion } from '../../ports/client-history.ts';
import type { StoredSecret } from '../../ports/client-store.ts';
import type { ClientId, ClientInstance } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import {
  asVersion,
  changed,
  created,
  deleted,
  numbersOf,
  OPERATOR,
  SECRET,
  versionsOf,
} from './former-versions.ts';
import { aClient, anEvent, EVENT, HARD_TEXTS, NOW, occurrences, times } from './stored-examples.ts';

export function clientHistoryContract(make: MakeEngine): void {
  keeping(make);
  deleting(make);
  ending(make);
  sealing(make);
}

function keeping(make: MakeEngine): void {
  test(
    'a change keeps the version before it, character for character, with its actor, time and request, and without the registration token',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const text of HARD_TEXTS) {
        const values = { metadata: text, data: text, privileges: text, document: text, federation: text };
        const client = await created(tenant, { ...values, secrets: [SECRET], expires_at: NOW + 1 });
        const next = await changed(tenant, client, { metadata: '{}', data: null, secrets: [] });
        const kept = asVersion(client, OPERATOR);
        assert.deepEqual(await versionsOf(tenant, next), [kept]);
        assert.deepEqual(await tenant.clientHistory.version(client), kept);
        assert.deepEqual(await versionsOf(other, next), []);
        assert.equal(await tenant.clientHistory.version(next), undefined);
      }
    }),
  );

  test(
    'registration and maintenance keep no version, nor does a change that is refused',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = await created(tenant);
      const { clients } = tenant;
      assert.equal(await clients.replace({ ...client, version: 2 }, 1, undefined, 3), 'done');
      assert.equal(await clients.replace({ ...client, version: 3 }, 2, EVENT, 0), 'done');
      assert.equal(await clients.replace({ ...client, version: 4 }, 3, EVENT), 'done');
      assert.equal(await clients.replace({ ...client, version: 4 }, 3, EVENT, 3), 'changed_meanwhile');
      assert.equal(await clients.replace({ ...aClient(), version: 2 }, 1, EVENT, 3), 'absent');
      assert.deepEqual(await versionsOf(tenant, client), []);
    }),
  );

  test(
    'the oldest versions of a client go beyond the maximum, those of other clients stay, and pages are newest first (H-520)',
    onEmptyStorage(make, async ({ tenant }) => {
      let [client, neighbour] = [await created(tenant), await created(tenant)];
      neighbour = await changed(tenant, neighbour);
      for (const index of times(6, (step) => step))
        client = await changed(tenant, client, { data: `${index}` });
      assert.deepEqual(await numbersOf(tenant, client), [6, 5, 4]);
      assert.deepEqual(await numbersOf(tenant, neighbour), [1]);
      const page = await tenant.clientHistory.versions(client, 6, 1);
      assert.deepEqual(
        page.map(({ version, data }) => [version, data]),
        [[5, '3']],
      );
      assert.equal(await tenant.clients.replace({ ...client, version: 8 }, 7, OPERATOR, 1), 'done');
      assert.deepEqual(await numbersOf(tenant, client), [7]);
    }),
  );

  test(
    'of 20 parallel changes of one version one is done, and the version before it is kept once',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = await created(tenant);
      const next = times(20, (index) => ({ ...client, version: 2, data: `${index}` }));
      const outcomes = await Promise.all(
        next.map((value) => tenant.clients.replace(value, 1, anEvent({ request_id: value.data }), 3)),
      );
      assert.equal(occurrences(outcomes, 'done'), 1);
      const kept = await versionsOf(tenant, client);
      assert.deepEqual(
        kept.map(({ version, request_id }) => [version, request_id]),
        [[1, String(outcomes.indexOf('done'))]],
      );
    }),
  );
}

function deleting(make: MakeEngine): void {
  test(
    'a deleted client is kept in its last version with its history, and a deletion that keeps nothing ends both',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = await changed(tenant, await created(tenant, { secrets: [SECRET] }));
      await deleted(tenant, client);
      const event = anEvent({ action: 'client.delete', actor: 'cli', request_id: 'r2', at: NOW + 9 });
      assert.deepEqual(await tenant.clientHistory.deleted(client.client_id), {
        ...asVersion(client, event),
        deleted_at: NOW + 9,
      });
      assert.equal(await other.clientHistory.deleted(client.client_id), undefined);
      assert.deepEqual(await numbersOf(tenant, client), [2, 1]);
      assert.equal(await tenant.clients.find(client.client_id), undefined);
      const gone = await changed(tenant, await created(tenant));
      assert.equal(await tenant.clients.delete(gone, EVENT), 'done');
      assert.deepEqual(await versionsOf(tenant, gone), []);
      assert.equal(await tenant.clientHistory.deleted(gone.client_id), undefined);
    }),
  );

  test(
    'a deletion of another version keeps nothing, and of several clients with one identifier the last one is kept',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = await changed(tenant, await created(tenant));
      assert.equal(await tenant.clients.delete({ ...first, version: 1 }, EVENT, true), 'changed_meanwhile');
      assert.deepEqual(await numbersOf(tenant, first), [1]);
      await deleted(tenant, first);
      const second = await created(tenant, { client_id: first.client_id });
      assert.equal((await tenant.clientHistory.deleted(first.client_id))?.instance, first.instance);
      await deleted(tenant, second);
      assert.equal((await tenant.clientHistory.deleted(first.client_id))?.instance, second.instance);
      assert.deepEqual(await versionsOf(tenant, first), []);
    }),
  );

  test(
    'pages of deleted clients begin with the latest deletion and hold each one once, also those of one second',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const clients = await Promise.all(times(7, async () => await created(tenant)));
      for (const [index, client] of clients.entries()) await deleted(tenant, client, NOW + (index >> 1));
      await deleted(other, await created(other));
      const expected = clients
        .map(({ client_id }, index) => ({ client_id, deleted_at: NOW + (index >> 1) }))
        .toSorted((a, b) => b.deleted_at - a.deleted_at || (a.client_id < b.client_id ? 1 : -1));
      for (const limit of [1, 2, 7, 8]) {
        const seen: { client_id: ClientId; deleted_at: number }[] = [];
        for (;;) {
          const page = await tenant.clientHistory.deletedPage(seen.at(-1), limit);
          seen.push(...page.map(({ client_id, deleted_at }) => ({ client_id, deleted_at: deleted_at ?? 0 })));
          if (page.length < limit) break;
        }
        assert.deepEqual(seen, expected);
      }
    }),
  );
}

function ending(make: MakeEngine): void {
  test(
    'a purge removes every version of one identifier and its deleted client, and records its event once (H-524)',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client_id = 'demo' as ClientId;
      const client = await changed(tenant, await created(tenant, { client_id }));
      const neighbour = await changed(tenant, await created(tenant));
      const foreign = await changed(other, await created(other, { client_id }));
      await deleted(tenant, client);
      const event = anEvent({ action: 'client.purge' });
      assert.equal(await tenant.clientHistory.purge(client_id, event), 2);
      assert.equal(await tenant.clientHistory.purge(client_id, event), 0);
      assert.equal(await tenant.clientHistory.deleted(client_id), undefined);
      assert.deepEqual(await versionsOf(tenant, client), []);
      assert.deepEqual(await numbersOf(tenant, neighbour), [1]);
      assert.deepEqual(await numbersOf(other, foreign), [1]);
      const purges = (await tenant.audit.page(0, 100)).filter(({ action }) => action === 'client.purge');
      assert.equal(purges.length, 1);
    }),
  );

  test(
    'a sweep removes versions by the time of their end, and deleted clients by their own, with all their versions',
    onEmptyStorage(make, async ({ tenant }) => {
      const sweep = async (versionsBefore: number, deletedBefore: number, limit = 100) =>
        await tenant.clientHistory.sweep({ versionsBefore, deletedBefore, deletedMax: 100 }, limit);
      let client = await created(tenant);
      for (const at of [NOW, NOW + 1, NOW + 2]) client = await changed(tenant, client, {}, anEvent({ at }));
      const first = await sweep(NOW + 2, 0, 1);
      assert.ok(first >= 1, String(first));
      assert.equal(first + (await sweep(NOW + 2, 0)), 2);
      assert.deepEqual(await numbersOf(tenant, client), [3]);
      await deleted(tenant, client, NOW + 9);
      assert.equal(await sweep(0, NOW + 9), 0);
      assert.equal(await sweep(NOW + 2, 0), 0, 'a deleted client has the lifetime of deleted clients');
      assert.equal(await sweep(0, NOW + 10), 2);
      assert.deepEqual(await versionsOf(tenant, client), []);
    }),
  );

  test(
    'a sweep removes the longest deleted clients beyond the maximum, also if all were deleted in one second (H-520)',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = await Promise.all(times(6, async () => await created(tenant)));
      for (const client of clients) await deleted(tenant, client, NOW);
      const ids = clients.map(({ client_id }) => client_id).toSorted();
      const sweep = async (deletedMax: number, limit: number) =>
        await tenant.clientHistory.sweep({ versionsBefore: 0, deletedBefore: 0, deletedMax }, limit);
      assert.deepEqual([await sweep(4, 1), await sweep(4, 9), await sweep(4, 9)], [1, 1, 0]);
      const left = (await tenant.clientHistory.deletedPage(undefined, 9)).map(({ client_id }) => client_id);
      assert.deepEqual(left.toReversed(), ids.slice(2));
    }),
  );
}

function sealing(make: MakeEngine): void {
  test(
    'versions with secrets are paged by their keys, and sealed again in their place',
    onEmptyStorage(make, async ({ tenant }) => {
      const ids = ['b', 'a', 'c'] as ClientId[];
      for (const client_id of ids) {
        const instance = `i${client_id}` as ClientInstance;
        const client = await changed(
          tenant,
          await created(tenant, { client_id, instance, secrets: [SECRET] }),
        );
        await deleted(tenant, await changed(tenant, client, { secrets: [] }));
      }
      const seen: FormerVersion[] = [];
      for (;;) {
        const page = await tenant.clientHistory.sealedPage(seen.at(-1), 2);
        seen.push(...page);
        if (page.length < 2) break;
      }
      const keys = seen.map(({ client_id, version }) => `${client_id}${version}`);
      assert.deepEqual(keys, ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']);
      const [first = assert.fail()] = seen;
      const secrets = [{ ...SECRET, sealed: 'again' as StoredSecret['sealed'] }];
      await tenant.clientHistory.reseal(first, secrets);
      assert.deepEqual(await tenant.clientHistory.version(first), { ...first, secrets });
      await tenant.clientHistory.reseal({ ...first, version: 9 }, secrets);
      assert.equal(await tenant.clientHistory.version({ ...first, version: 9 }), undefined);
    }),
  );
}
