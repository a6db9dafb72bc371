import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Digest } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aToken, EVENT, LABEL, OPEN, occurrences, times } from './stored-examples.ts';

const DIGEST = 'shared' as Digest;
const aShared = (shared_digest = DIGEST) => aClient({ shared_digest });

export function openRegistrationContract(make: MakeEngine): void {
  sharing(make);
  sharingInTime(make);
  limit(make);
  counting(make);
}

function sharing(make: MakeEngine): void {
  test(
    'of 50 parallel creations with one shared digest exactly one succeeds, and everyone can find that one',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const clients = times(50, () => aShared());
        const outcomes = await Promise.all(
          clients.map((client, index) => (index % 2 === 0 ? tenant : second).clients.create(client, OPEN)),
        );
        assert.equal(occurrences(outcomes, 'created'), 1);
        assert.equal(occurrences(outcomes, 'identical_exists'), 49);
        const made = clients[outcomes.indexOf('created')];
        assert.deepEqual(await second.clients.findShared(DIGEST), made);
        assert.deepEqual(await tenant.clients.page(undefined, 100), [made]);
        assert.equal(await tenant.clients.countOpen(), 1);
      });
    }),
  );

  test(
    'an identical client does not use up an initial access token, and is answered although there is no more room',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = aToken();
      await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
      await tenant.clients.create(aShared(), OPEN);
      const conditions = { ...OPEN, initialAccessToken: token.key, openClientsMax: 1 };
      assert.equal(await tenant.clients.create(aShared(), conditions), 'identical_exists');
      assert.equal(await tenant.clients.create(aClient(), conditions), 'open_clients_exhausted');
      assert.deepEqual(await tenant.accessTokens.findInitial(token.key), LABEL);
    }),
  );
}

function sharingInTime(make: MakeEngine): void {
  test(
    'a shared digest belongs to one live client of one tenant; clients without one are not identical',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const first = aShared();
      assert.equal(await tenant.clients.create(first, OPEN), 'created');
      assert.equal(await other.clients.findShared(DIGEST), undefined);
      assert.equal(await other.clients.create(aShared(), OPEN), 'created');
      for (const client of times(2, () => aClient()))
        assert.equal(await tenant.clients.create(client, OPEN), 'created');
      await tenant.clients.delete(first, EVENT);
      assert.equal(await tenant.clients.findShared(DIGEST), undefined);
      const second = aShared();
      assert.equal(await tenant.clients.create(second, OPEN), 'created');
      assert.deepEqual(await tenant.clients.findShared(DIGEST), second);
    }),
  );

  test(
    'a replaced client gives its shared digest up, and cannot take that of another',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = aShared();
      const second = aShared('another' as Digest);
      await tenant.clients.create(first, OPEN);
      await tenant.clients.create(second, OPEN);
      await assert.rejects(
        tenant.clients.replace({ ...second, version: 2, shared_digest: DIGEST }, 1, EVENT),
      );
      assert.deepEqual(await tenant.clients.findShared('another' as Digest), second);
      assert.deepEqual(await tenant.clients.findShared(DIGEST), first);
      assert.equal(
        await tenant.clients.replace({ ...first, version: 2, shared_digest: null }, 1, EVENT),
        'done',
      );
      assert.equal(await tenant.clients.findShared(DIGEST), undefined);
      assert.equal(await tenant.clients.create(aShared(), OPEN), 'created');
    }),
  );
}

function limit(make: MakeEngine): void {
  test(
    'parallel creations in two storages never make more open clients than there may be',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(60, (index) =>
            (index % 2 === 0 ? tenant : second).clients.create(aClient(), { ...OPEN, openClientsMax: 10 }),
          ),
        );
        assert.equal(occurrences(outcomes, 'created'), 10);
        assert.equal(occurrences(outcomes, 'open_clients_exhausted'), 50);
        assert.equal((await tenant.clients.page(undefined, 100)).length, 10);
        assert.equal(await second.clients.countOpen(), 10);
      });
    }),
  );

  test(
    'a deletion makes room for one; other tenants and clients registered in another way have nothing to do with it',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const conditions = { ...OPEN, openClientsMax: 1 };
      const managed = () => aClient({ registered_via: 'master:ops' });
      const first = aClient();
      assert.equal(
        await tenant.clients.create(aClient(), { ...OPEN, openClientsMax: 0 }),
        'open_clients_exhausted',
      );
      assert.equal(await tenant.clients.create(managed(), conditions), 'created');
      assert.equal(await tenant.clients.create(first, conditions), 'created');
      assert.equal(await tenant.clients.create(aClient(), conditions), 'open_clients_exhausted');
      assert.equal(await tenant.clients.create(managed(), conditions), 'created');
      assert.equal(await other.clients.create(aClient(), conditions), 'created');
      await tenant.clients.delete(first, EVENT);
      const outcomes = await Promise.all(times(5, () => tenant.clients.create(aClient(), conditions)));
      assert.equal(occurrences(outcomes, 'created'), 1);
      assert.equal(occurrences(outcomes, 'open_clients_exhausted'), 4);
    }),
  );
}

function counting(make: MakeEngine): void {
  test(
    'the number of open clients is right through creations, refusals, replacements and deletions, and after a restart',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      const { clients } = tenant;
      assert.equal(await clients.countOpen(), 0);
      const [first, second, third] = [aClient(), aClient(), aClient({ registered_via: 'cli' })];
      await Promise.all([first, second, third].map((client) => clients.create(client, OPEN)));
      await clients.create(aClient({ client_id: first.client_id }), OPEN);
      assert.equal(await clients.countOpen(), 2);
      await clients.replace({ ...first, version: 2 }, 1, EVENT);
      assert.equal(await clients.countOpen(), 2);
      await clients.replace({ ...third, version: 2, registered_via: 'open' }, 1, EVENT);
      assert.equal(await clients.countOpen(), 3);
      await clients.replace({ ...first, version: 3, registered_via: 'master:ops' }, 2, EVENT);
      await clients.replace({ ...second, version: 9, registered_via: 'master:ops' }, 8, EVENT);
      assert.equal(await clients.countOpen(), 2);
      await clients.delete({ ...first, version: 3 }, EVENT);
      await clients.delete({ ...second, version: 2 }, EVENT);
      assert.equal(await clients.countOpen(), 2);
      await Promise.all(times(5, () => clients.delete(second, EVENT)));
      assert.equal(await clients.countOpen(), 1);
      await storage.close();
      await onSecondView(engine, async (after) => {
        assert.equal(await after.clients.countOpen(), 1);
      });
    }),
  );
}
