import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient, StoredSecret } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage } from './engine.ts';
import { aClient, EVENT, HARD_TEXTS, NOW, OPEN, occurrences, times } from './stored-examples.ts';

export function clientContract(make: MakeEngine): void {
  reading(make);
  changing(make);
  changingInRaces(make);
  pages(make);
}

function reading(make: MakeEngine): void {
  test(
    'texts come back as they were stored, character for character',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const text of HARD_TEXTS) {
        const client = aClient({ metadata: text, data: text, privileges: text, registered_via: text });
        await tenant.clients.create(client, OPEN);
        assert.deepEqual(await tenant.clients.find(client.client_id), client);
      }
    }),
  );

  test(
    'secrets come back in their order',
    onEmptyStorage(make, async ({ tenant }) => {
      const secrets = times(3, (index) => {
        const secret = { digest: `d${index}`, sealed: `s"${index}`, created_at: index, expires_at: NOW };
        return secret as unknown as StoredSecret;
      });
      const client = aClient({ secrets });
      await tenant.clients.create(client, OPEN);
      assert.deepEqual(await tenant.clients.find(client.client_id), client);
    }),
  );

  test(
    'an id may be a URL, and ids differ by case',
    onEmptyStorage(make, async ({ tenant }) => {
      const client_id = 'https://rp.example/%2F?a=b&c=%00' as ClientId;
      const client = aClient({ client_id });
      await tenant.clients.create(client, OPEN);
      assert.deepEqual(await tenant.clients.find(client_id), client);
      assert.equal(await tenant.clients.find(client_id.toUpperCase() as ClientId), undefined);
    }),
  );

  test(
    'tenants do not see each other, even with the same id',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const mine = aClient();
      const theirs = aClient({ client_id: mine.client_id });
      await tenant.clients.create(mine, OPEN);
      assert.equal(await other.clients.find(mine.client_id), undefined);
      assert.equal(await other.clients.create(theirs, OPEN), 'created');
      assert.deepEqual(await tenant.clients.page(undefined, 10), [mine]);
      assert.equal(await other.clients.hasRegistrationToken(mine.registration_token_digest), false);
      assert.equal(await other.clients.delete(theirs, EVENT), 'done');
      assert.deepEqual(await tenant.clients.find(mine.client_id), mine);
    }),
  );
}

function changing(make: MakeEngine): void {
  test(
    'a registration token is known from its creation to its replacement or deletion',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      const next = aClient({
        ...client,
        version: 2,
        registration_token_digest: aClient().registration_token_digest,
      });
      const known = async (): Promise<boolean[]> => [
        await tenant.clients.hasRegistrationToken(client.registration_token_digest),
        await tenant.clients.hasRegistrationToken(next.registration_token_digest),
      ];
      assert.deepEqual(await known(), [false, false]);
      await tenant.clients.create(client, OPEN);
      assert.deepEqual(await known(), [true, false]);
      await tenant.clients.replace(next, 1);
      assert.deepEqual(await known(), [false, true]);
      await tenant.clients.delete({ ...client, version: 2 }, EVENT);
      assert.deepEqual(await known(), [false, false]);
    }),
  );

  test(
    'a replacement or deletion needs the version that is stored',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      assert.equal(await tenant.clients.replace(client, 1), 'absent');
      assert.equal(await tenant.clients.delete(client, EVENT), 'absent');
      await tenant.clients.create(client, OPEN);
      const second = { ...client, version: 2, metadata: '{"client_name":"second"}', data: '[]' };
      assert.equal(await tenant.clients.replace(second, 1), 'done');
      assert.equal(await tenant.clients.replace({ ...client, version: 2 }, 1), 'changed_meanwhile');
      assert.deepEqual(await tenant.clients.find(client.client_id), second);
      assert.equal(await tenant.clients.delete(client, EVENT), 'changed_meanwhile');
      assert.equal(await tenant.clients.delete({ ...client, version: 2 }, EVENT), 'done');
      assert.equal(await tenant.clients.find(client.client_id), undefined);
      assert.equal(await tenant.clients.delete({ ...client, version: 2 }, EVENT), 'absent');
    }),
  );

  test(
    'a replacement or deletion meant for a deleted instance does not touch its successor',
    onEmptyStorage(make, async ({ tenant }) => {
      const old = aClient();
      const successor = aClient({ client_id: old.client_id });
      await tenant.clients.create(old, OPEN);
      await tenant.clients.delete(old, EVENT);
      await tenant.clients.create(successor, { ...OPEN, reuseDeletedId: true });
      assert.equal(await tenant.clients.replace({ ...old, version: 2 }, 1), 'changed_meanwhile');
      assert.equal(await tenant.clients.delete(old, EVENT), 'changed_meanwhile');
      assert.deepEqual(await tenant.clients.find(old.client_id), successor);
    }),
  );
}

function changingInRaces(make: MakeEngine): void {
  test(
    'of 20 parallel replacements of one version exactly one is done, and that one is stored',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const next = times(20, (index) => ({ ...client, version: 2, metadata: `{"n":${index}}` }));
      const outcomes = await Promise.all(next.map((value) => tenant.clients.replace(value, 1)));
      assert.equal(occurrences(outcomes, 'done'), 1);
      assert.equal(occurrences(outcomes, 'changed_meanwhile'), 19);
      assert.deepEqual(await tenant.clients.find(client.client_id), next[outcomes.indexOf('done')]);
    }),
  );

  test(
    'of a replacement and a deletion of one version exactly one is done, in either order',
    onEmptyStorage(make, async ({ tenant }) => {
      for (const deletionFirst of [true, false]) {
        const client = aClient();
        await tenant.clients.create(client, OPEN);
        const remove = () => tenant.clients.delete(client, EVENT);
        const replace = () => tenant.clients.replace({ ...client, version: 2 }, 1);
        const [first, second] = deletionFirst ? [remove, replace] : [replace, remove];
        const outcomes = await Promise.all([first(), second()]);
        assert.equal(occurrences(outcomes, 'done'), 1);
        const deleted = outcomes[deletionFirst ? 0 : 1] === 'done';
        assert.equal(outcomes.includes(deleted ? 'absent' : 'changed_meanwhile'), true);
        assert.equal((await tenant.clients.find(client.client_id))?.version, deleted ? undefined : 2);
      }
    }),
  );
}

async function allPages(tenant: TenantStorage, limit: number): Promise<StoredClient[]> {
  const seen: StoredClient[] = [];
  for (;;) {
    const page = await tenant.clients.page(seen.at(-1)?.client_id, limit);
    assert.ok(page.length <= limit);
    seen.push(...page);
    if (page.length < limit) return seen;
  }
}

function pages(make: MakeEngine): void {
  test(
    'pages hold every client once, in code-unit order of the id',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const ids = ['b', 'B', '~', '0', 'a', 'https://rp.example/', 'aa', 'Z', '!', '_'] as ClientId[];
      const clients = ids.map((client_id) => aClient({ client_id }));
      await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
      await other.clients.create(aClient({ client_id: 'ab' as ClientId }), OPEN);
      const expected = clients.toSorted((a, b) => (a.client_id < b.client_id ? -1 : 1));
      for (const limit of [1, 3, 10, 11]) assert.deepEqual(await allPages(tenant, limit), expected);
      assert.deepEqual(await tenant.clients.page('~' as ClientId, 5), []);
    }),
  );

  test(
    'a client that is there throughout is listed once, whatever is registered and deleted meanwhile',
    onEmptyStorage(make, async ({ tenant }) => {
      const lasting = times(60, () => aClient());
      const passing = times(20, () => aClient());
      await Promise.all([...lasting, ...passing].map((client) => tenant.clients.create(client, OPEN)));
      const changes = Promise.all([
        ...times(60, () => tenant.clients.create(aClient(), OPEN)),
        ...passing.map((client) => tenant.clients.delete(client, EVENT)),
      ]);
      const ids = (await allPages(tenant, 7)).map((client) => client.client_id);
      await changes;
      assert.deepEqual(ids, [...new Set(ids)].toSorted());
      for (const client of lasting) assert.ok(ids.includes(client.client_id));
      assert.equal((await allPages(tenant, 7)).length, 120);
    }),
  );
}
