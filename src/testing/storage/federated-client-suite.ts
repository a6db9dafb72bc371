import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aGrant, anEvent, aToken, aTokenOf, EVENT, NOW, OPEN, times } from './stored-examples.ts';

const ENTITY = 'https://rp.example/ü%2F';

const federated = (values: Partial<StoredClient> = {}): StoredClient =>
  aClient({ entity_id: ENTITY, expires_at: NOW + 3600, registered_via: 'federation:https://a', ...values });

export function federatedClientContract(make: MakeEngine): void {
  succession(make);
  successionOverProcesses(make);
  expiry(make);
  renewals(make);
  visits(make);
}

function succession(make: MakeEngine): void {
  test(
    'a client takes the place of the one with its entity_id, which ends with its tokens; both events are recorded (OpenID Federation 1.0 §12.2.2)',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const first = federated();
      const second = federated({ metadata: '{"client_name":"second"}' });
      const foreign = federated();
      await other.clients.create(foreign, OPEN);
      await tenant.clients.create(first, OPEN);
      assert.deepEqual(await tenant.clients.find(first.client_id), first);
      const token = aToken(first);
      const grant = aGrant(first);
      const granted = aTokenOf(grant);
      await tenant.accessTokens.issue(token);
      await tenant.grants.create(grant, granted);
      const event = anEvent({ client_id: second.client_id });
      const endEvent = anEvent({ action: 'client.supersede' });
      assert.equal(await tenant.clients.create(second, { ...OPEN, event, endEvent }), 'created');
      assert.equal(await tenant.clients.find(first.client_id), undefined);
      assert.deepEqual(await tenant.clients.find(second.client_id), second);
      assert.deepEqual(await tenant.clients.findOfEntity(ENTITY), second);
      assert.deepEqual(await other.clients.findOfEntity(ENTITY), foreign);
      assert.equal(await tenant.clients.findOfEntity(`${ENTITY}/`), undefined);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.accessTokens.find(granted.key), undefined);
      assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      assert.deepEqual(await other.clients.find(foreign.client_id), foreign);
      const recorded = (await tenant.audit.page(0, 10)).map(({ action, client_id }) => [action, client_id]);
      assert.deepEqual(recorded, [
        ['client.create', null],
        ['client.supersede', first.client_id],
        ['client.create', second.client_id],
      ]);
      // The id of the ended one is one that was deleted.
      const reused = aClient({ client_id: first.client_id });
      assert.equal(await tenant.clients.create(reused, OPEN), 'client_id_deleted');
    }),
  );

  test(
    'a refused registration ends no client',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = federated();
      const stranger = aClient();
      await tenant.clients.create(first, OPEN);
      await tenant.clients.create(stranger, OPEN);
      const refused = federated({ client_id: stranger.client_id });
      assert.equal(await tenant.clients.create(refused, OPEN), 'client_id_taken');
      assert.deepEqual(await tenant.clients.find(first.client_id), first);
      assert.deepEqual(await tenant.clients.find(stranger.client_id), stranger);
    }),
  );
}

function successionOverProcesses(make: MakeEngine): void {
  test(
    'of 20 registrations of one entity at once, over two open storages, one stays and the others are consistent (H-218)',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const clients = times(20, () => federated());
        const outcomes = await Promise.all(
          clients.map((client, index) => (index % 2 === 0 ? tenant : second).clients.create(client, OPEN)),
        );
        assert.deepEqual(new Set(outcomes), new Set(['created']));
        const live = await tenant.clients.page(undefined, 100);
        assert.equal(live.length, 1);
        assert.ok(clients.some(({ client_id }) => client_id === live[0]?.client_id));
      });
    }),
  );

  test(
    'the end of a superseded client is in the journal, so that no cache goes on with it',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = federated();
      await tenant.clients.create(first, OPEN);
      const head = await tenant.journal.head();
      await tenant.clients.create(federated(), OPEN);
      const { client_id, instance } = first;
      assert.deepEqual(await tenant.journal.since(head), [{ kind: 'client-ended', client_id, instance }]);
    }),
  );
}

function expiry(make: MakeEngine): void {
  test(
    'the expired are those whose time has come, the earliest first; who never expires is never among them',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const later = federated({ expires_at: NOW });
      const sooner = federated({ expires_at: NOW - 10, entity_id: null });
      const live = federated({ expires_at: NOW + 1, entity_id: `${ENTITY}/other` });
      for (const client of [later, sooner, live, aClient()]) await tenant.clients.create(client, OPEN);
      await other.clients.create(federated({ expires_at: NOW }), OPEN);
      assert.deepEqual(await tenant.clients.expired({ now: NOW, renewableBefore: 0 }, 10), [sooner, later]);
      assert.deepEqual(await tenant.clients.expired({ now: NOW, renewableBefore: 0 }, 1), [sooner]);
      assert.deepEqual(await tenant.clients.expired({ now: NOW - 11, renewableBefore: 0 }, 10), []);
      const renewed = { ...sooner, version: 2, expires_at: NOW + 10 };
      assert.equal(await tenant.clients.replace(renewed, 1), 'done');
      assert.equal(await tenant.clients.delete(later, EVENT), 'done');
      assert.deepEqual(await tenant.clients.expired({ now: NOW, renewableBefore: 0 }, 10), []);
      assert.deepEqual(await tenant.clients.find(renewed.client_id), renewed);
    }),
  );

  test(
    'the next end of a federated client is the earliest that has not come, of its own tenant, and never that of a document',
    onEmptyStorage(make, async ({ tenant, other }) => {
      assert.equal(await tenant.clients.nextFederatedEnd(NOW), undefined);
      const document = aClient({ expires_at: NOW + 1, document: '{}', registered_via: 'document' });
      const ended = federated({ expires_at: NOW, entity_id: null });
      const sooner = federated({ expires_at: NOW + 10, entity_id: null });
      const later = federated({ expires_at: NOW + 20 });
      for (const client of [later, sooner, ended, document, aClient()])
        await tenant.clients.create(client, OPEN);
      await other.clients.create(federated({ expires_at: NOW + 5 }), OPEN);
      assert.equal(await tenant.clients.nextFederatedEnd(NOW), NOW + 10);
      assert.equal(await tenant.clients.nextFederatedEnd(NOW + 10), NOW + 20);
      assert.equal(await tenant.clients.nextFederatedEnd(NOW + 20), undefined);
    }),
  );
}

/** Due at `NOW`, and used since it was resolved. */
const due = (values: Partial<StoredClient> = {}): StoredClient =>
  federated({ entity_id: null, federation: '{"é":1}', resolved_at: NOW - 100, renew_at: NOW, ...values });

const CLAIM = { now: NOW, until: NOW + 60, from: 0, useMargin: 10, limit: 10 };

async function used(tenant: TenantStorage, client: StoredClient, last_used_at: number = NOW): Promise<void> {
  const { client_id, instance } = client;
  await tenant.clients.create(client, OPEN);
  await tenant.clients.recordUses([{ client_id, instance, secret_digest: null, last_used_at }]);
}

function renewals(make: MakeEngine): void {
  test(
    'a client that can be renewed ends for good after its retention, and not while it holds a grant (decision 49)',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = due({ expires_at: NOW - 10 });
      const held = due({ expires_at: NOW - 10 });
      for (const one of [client, held]) await tenant.clients.create(one, OPEN);
      const grant = aGrant(held);
      await tenant.grants.create(grant, aTokenOf(grant));
      const times = { now: NOW, settledBefore: 0, auditedBefore: 0, versionsBefore: 0, deletedBefore: 0 };
      const early = { ...times, renewableBefore: NOW - 11 };
      assert.deepEqual(await tenant.clients.expired(early, 10), []);
      assert.equal(await tenant.upkeep.isDue(early), false);
      const late = { ...times, renewableBefore: NOW - 10 };
      assert.deepEqual(await tenant.clients.expired(late, 10), [client]);
      assert.equal(await tenant.upkeep.isDue(late), true);
      assert.equal(await tenant.clients.delete(client, EVENT), 'done');
      assert.equal(await tenant.upkeep.isDue(late), false);
      await tenant.grants.end(grant.grant_id, EVENT);
      assert.deepEqual(await tenant.clients.expired(late, 10), [held]);
    }),
  );

  test(
    'the clients that are due, live and in use are claimed, the longest due first; nothing but renew_at moves (decision 49)',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const [second, first] = [due(), due({ renew_at: NOW - 1 })];
      await used(tenant, second);
      // The last use may be later than the recorded one.
      await used(tenant, first, NOW - 110);
      await used(tenant, due(), NOW - 111);
      await used(tenant, due({ renew_at: NOW + 1 }));
      await used(tenant, due({ expires_at: NOW }));
      await used(tenant, federated());
      await tenant.clients.create(due(), OPEN);
      await used(other, due());
      const head = await tenant.journal.head();
      const one = await tenant.clients.claimRenewals({ ...CLAIM, limit: 1 });
      assert.deepEqual(one, { clients: [{ ...first, renew_at: CLAIM.until }], next: 0 });
      const { clients: rest, next } = await tenant.clients.claimRenewals(CLAIM);
      assert.equal(next, undefined);
      assert.deepEqual(rest, [{ ...second, renew_at: CLAIM.until }]);
      assert.deepEqual(await tenant.clients.find(second.client_id), rest[0]);
      assert.deepEqual(await tenant.journal.since(head), []);
      const again = await tenant.clients.claimRenewals({ ...CLAIM, now: CLAIM.until, until: NOW + 120 });
      assert.equal(again.clients.length, 3, 'a claim ends; the client with renew_at after NOW is due too');
    }),
  );

  test(
    'of two processes that claim at once, each gets other clients (decision 49)',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const clients = times(20, () => due());
      for (const client of clients) await used(tenant, client);
      await onSecondView(engine, async (second) => {
        const claims = times(8, (index) =>
          (index % 2 === 0 ? tenant : second).clients.claimRenewals({ ...CLAIM, limit: 4 }),
        );
        const claimed = (await Promise.all(claims)).flatMap(({ clients: some }) =>
          some.map(({ client_id }) => client_id),
        );
        assert.deepEqual(claimed.toSorted(), clients.map(({ client_id }) => client_id).toSorted());
      });
    }),
  );
}

function visits(make: MakeEngine): void {
  test(
    'a claim visits a thousand due clients that are not in use, and the next one goes on behind them: other writes come in between',
    onEmptyStorage(make, async ({ tenant }) => {
      const unused = times(1001, (index) => due({ renew_at: NOW - 2000 + index }));
      await Promise.all(unused.map(async (client) => await tenant.clients.create(client, OPEN)));
      const last = due();
      await used(tenant, last);
      const visited = await tenant.clients.claimRenewals(CLAIM);
      assert.deepEqual(visited, { clients: [], next: NOW - 1000 });
      const { clients, next } = await tenant.clients.claimRenewals({ ...CLAIM, from: NOW - 1000 });
      assert.deepEqual(clients, [{ ...last, renew_at: CLAIM.until }]);
      assert.equal(next, undefined);
    }),
  );

  test(
    'clients that are due at the same second are visited together, however many they are',
    onEmptyStorage(make, async ({ tenant }) => {
      const together = times(1001, () => due({ renew_at: NOW - 1 }));
      await Promise.all(together.map(async (client) => await tenant.clients.create(client, OPEN)));
      await used(tenant, due());
      const { clients: none, next } = await tenant.clients.claimRenewals({ ...CLAIM, from: NOW - 1 });
      assert.deepEqual([none.length, next], [0, NOW]);
      const { clients } = await tenant.clients.claimRenewals({ ...CLAIM, from: NOW });
      assert.equal(clients.length, 1);
    }),
  );
}
