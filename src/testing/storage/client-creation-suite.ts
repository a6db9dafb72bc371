import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredAccessToken } from '../../ports/access-token-store.ts';
import type { CreateConditions } from '../../ports/client-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aToken, EVENT, LABEL, NOW, OPEN, occurrences, times } from './stored-examples.ts';

async function initialToken(tenant: TenantStorage): Promise<StoredAccessToken> {
  const token = aToken();
  await tenant.accessTokens.issueInitial(token, LABEL, EVENT);
  return token;
}

const using = (token: StoredAccessToken): CreateConditions => ({ ...OPEN, initialAccessToken: token.key });

export function clientCreationContract(make: MakeEngine): void {
  races(make);
  manyAtOnce(make);
  initialAccessTokens(make);
  deletedIds(make);
}

/** An engine may do creations of one turn together: each is answered, stored and recorded as if it had come alone. */
function manyAtOnce(make: MakeEngine): void {
  test(
    'of 100 parallel creations each is found as it was given, and recorded once',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = times(100, (index) =>
        aClient({
          metadata: `{"client_name":"\\"quoted\\" {${index}} \\\\ NULL, ü"}`,
          data: index % 2 === 0 ? null : '{"a":"NULL"}',
          registered_via: index % 3 === 0 ? 'master' : 'open',
        }),
      );
      const outcomes = await Promise.all(
        clients.map((client) => {
          const { client_id } = client;
          return tenant.clients.create(client, {
            ...OPEN,
            event: { ...EVENT, client_id, reason: client_id },
          });
        }),
      );
      assert.equal(occurrences(outcomes, 'created'), 100);
      for (const client of clients) assert.deepEqual(await tenant.clients.find(client.client_id), client);
      assert.equal(await tenant.clients.countOpen(), 66);
      const events = await tenant.audit.page(0, 1000);
      assert.deepEqual(
        events.map(({ sequence }) => sequence),
        times(100, (index) => index + 1),
      );
      assert.equal(new Set(events.map(({ client_id }) => client_id)).size, 100);
      assert.ok(events.every(({ client_id, reason }) => client_id === reason));
    }),
  );

  test(
    'among parallel creations those with an id that is taken, or was, are refused, and the others done',
    onEmptyStorage(make, async ({ tenant }) => {
      const [taken, deleted] = [aClient(), aClient()];
      await tenant.clients.create(taken, OPEN);
      await tenant.clients.create(deleted, OPEN);
      await tenant.clients.delete(deleted, EVENT);
      const others = times(10, () => aClient());
      const clients = [
        ...others,
        aClient({ client_id: taken.client_id }),
        aClient({ client_id: deleted.client_id }),
      ];
      const outcomes = await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
      assert.deepEqual(outcomes, [...others.map(() => 'created'), 'client_id_taken', 'client_id_deleted']);
      for (const client of others) assert.deepEqual(await tenant.clients.find(client.client_id), client);
      assert.deepEqual(await tenant.clients.find(taken.client_id), taken);
    }),
  );

  test(
    'parallel creations fill what room there is for open clients, to the last place',
    onEmptyStorage(make, async ({ tenant }) => {
      const clients = times(12, (index) => aClient({ registered_via: index === 0 ? 'master' : 'open' }));
      const outcomes = await Promise.all(
        clients.map((client) => tenant.clients.create(client, { ...OPEN, openClientsMax: 7 })),
      );
      assert.equal(outcomes[0], 'created');
      assert.equal(occurrences(outcomes, 'created'), 8);
      assert.equal(occurrences(outcomes, 'open_clients_exhausted'), 4);
      assert.equal(await tenant.clients.countOpen(), 7);
    }),
  );
}

function races(make: MakeEngine): void {
  test(
    'an id that is taken is refused and the client that has it stays as it was',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = aClient();
      assert.equal(await tenant.clients.create(first, OPEN), 'created');
      const second = aClient({ client_id: first.client_id });
      assert.equal(await tenant.clients.create(second, OPEN), 'client_id_taken');
      assert.deepEqual(await tenant.clients.find(first.client_id), first);
      assert.equal(await tenant.clients.hasRegistrationToken(second.registration_token_digest), false);
    }),
  );

  test(
    'of 20 parallel creations of one id exactly one succeeds, and that one is stored',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client_id } = aClient();
      const clients = times(20, () => aClient({ client_id }));
      const outcomes = await Promise.all(clients.map((client) => tenant.clients.create(client, OPEN)));
      assert.equal(occurrences(outcomes, 'created'), 1);
      assert.equal(occurrences(outcomes, 'client_id_taken'), 19);
      assert.deepEqual(await tenant.clients.find(client_id), clients[outcomes.indexOf('created')]);
    }),
  );

  test(
    'of 50 parallel creations with one initial access token exactly one succeeds (RFC 7591 §3)',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = await initialToken(tenant);
      const clients = times(50, () => aClient());
      const outcomes = await Promise.all(
        clients.map((client) => tenant.clients.create(client, using(token))),
      );
      assert.equal(occurrences(outcomes, 'created'), 1);
      assert.equal(occurrences(outcomes, 'initial_access_token_used'), 49);
      assert.deepEqual(await tenant.clients.page(undefined, 100), [clients[outcomes.indexOf('created')]]);
    }),
  );

  test(
    'two open storages: one initial access token still makes one client',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const token = await initialToken(tenant);
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(20, (index) => (index % 2 === 0 ? tenant : second).clients.create(aClient(), using(token))),
        );
        assert.equal(occurrences(outcomes, 'created'), 1);
        assert.equal(occurrences(outcomes, 'initial_access_token_used'), 19);
        assert.equal((await tenant.clients.page(undefined, 100)).length, 1);
      });
    }),
  );
}

function initialAccessTokens(make: MakeEngine): void {
  test(
    'a used initial access token is no longer found (RFC 7662 §2.2)',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = await initialToken(tenant);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.deepEqual(await tenant.accessTokens.findInitial(token.key), LABEL);
      assert.equal(await tenant.clients.create(aClient(), using(token)), 'created');
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
      assert.equal(await tenant.accessTokens.findInitial(token.key), undefined);
    }),
  );

  test(
    'a refused creation leaves the initial access token usable',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = await initialToken(tenant);
      const taken = aClient();
      const gone = aClient();
      await tenant.clients.create(taken, OPEN);
      await tenant.clients.create(gone, OPEN);
      await tenant.clients.delete(gone, EVENT);
      const again = aClient({ client_id: gone.client_id });
      assert.equal(await tenant.clients.create(aClient(taken), using(token)), 'client_id_taken');
      assert.equal(await tenant.clients.create(again, using(token)), 'client_id_deleted');
      assert.deepEqual(await tenant.accessTokens.findInitial(token.key), LABEL);
      assert.deepEqual(await tenant.accessTokens.find(token.key), token);
      assert.equal(await tenant.clients.create(aClient(), using(token)), 'created');
    }),
  );

  test(
    'an unknown, an expired and an ordinary access token and one of another tenant create nothing',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const expired = aToken(undefined, { expires_at: NOW });
      await tenant.accessTokens.issueInitial(expired, LABEL, EVENT);
      const ordinary = aToken();
      await tenant.accessTokens.issue(ordinary);
      const foreign = await initialToken(other);
      for (const token of [aToken(), expired, ordinary, foreign]) {
        assert.equal(await tenant.clients.create(aClient(), using(token)), 'initial_access_token_used');
      }
      assert.deepEqual(await tenant.clients.page(undefined, 10), []);
      assert.deepEqual(await other.accessTokens.findInitial(foreign.key), LABEL);
      assert.deepEqual(await tenant.accessTokens.find(ordinary.key), ordinary);
    }),
  );
}

function deletedIds(make: MakeEngine): void {
  test(
    'the id of a deleted client is refused unless its reuse is allowed',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await tenant.clients.delete(client, EVENT);
      const again = aClient({ client_id: client.client_id });
      assert.equal(await tenant.clients.create(again, OPEN), 'client_id_deleted');
      assert.equal(await tenant.clients.find(client.client_id), undefined);
      assert.equal(await other.clients.create(again, OPEN), 'created');
      assert.equal(await tenant.clients.create(again, { ...OPEN, reuseDeletedId: true }), 'created');
      assert.deepEqual(await tenant.clients.find(client.client_id), again);
    }),
  );

  test(
    'an id can be deleted and registered again more than once',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client_id } = aClient();
      for (let round = 0; round < 3; round += 1) {
        const client = aClient({ client_id });
        assert.equal(await tenant.clients.create(client, { ...OPEN, reuseDeletedId: true }), 'created');
        assert.equal(await tenant.clients.delete(client, EVENT), 'done');
      }
      assert.equal(await tenant.clients.create(aClient({ client_id }), OPEN), 'client_id_deleted');
    }),
  );

  test(
    'an instance that was deleted cannot come back, because its tokens would',
    onEmptyStorage(make, async ({ tenant }) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await tenant.clients.delete(client, EVENT);
      await assert.rejects(tenant.clients.create(client, { ...OPEN, reuseDeletedId: true }), /instance/);
      assert.equal(await tenant.clients.find(client.client_id), undefined);
    }),
  );
}
