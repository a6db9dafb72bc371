import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredClient } from '../../ports/client-store.ts';
import type { StoredGrant } from '../../ports/grant-store.ts';
import type { TakenLogoutNotification, Taking } from '../../ports/logout-notification-store.ts';
import type { StoredSession } from '../../ports/session-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { aDigest, anAccount, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, aCode, aGrant, aTokenOf, EVENT, endOfGrant, NOW, OPEN, times } from './stored-examples.ts';

const ADA = 'ada' as Subject;
const TAKING: Taking = { now: NOW, until: NOW + 60, limit: 100 };

interface Scene {
  readonly session: StoredSession;
  readonly clients: readonly StoredClient[];
}

/** Creates a session with the given number of clients. */
async function aScene(
  tenant: TenantStorage,
  clients = 2,
  values: Partial<StoredSession> = {},
): Promise<Scene> {
  const session = aSession(ADA, values);
  await tenant.sessions.create(session, NEW_SESSION);
  const registered = times(clients, () => aClient());
  for (const client of registered) {
    await tenant.clients.create(client, OPEN);
    await tenant.sessions.addClient(session.sid, client, NOW);
  }
  return { session, clients: registered };
}

async function told(tenant: TenantStorage): Promise<readonly string[]> {
  const page = await tenant.logoutNotifications.page(undefined, 100);
  return page.map(({ client_id }) => client_id).toSorted();
}

const idsOf = (clients: readonly { readonly client_id: string }[]): readonly string[] =>
  clients.map(({ client_id }) => client_id).toSorted();

export function logoutNotificationContract(make: MakeEngine): void {
  notingContract(make);
  grantsContract(make);
  takingContract(make);
  settlingContract(make);
}

function notingContract(make: MakeEngine): void {
  test(
    'the act that ends a session notes each of its clients that is still there (OpenID Connect Back-Channel Logout 1.0 §2.3)',
    onEmptyStorage(make, async ({ engine, tenant, other }) => {
      const { session, clients } = await aScene(tenant, 3);
      const [gone, ...there] = clients;
      await tenant.clients.delete(gone ?? assert.fail(), EVENT);
      assert.equal(await tenant.logoutNotifications.nextDue(), undefined);
      await tenant.sessions.end(session.key);
      await onSecondView(engine, async (second) => assert.deepEqual(await told(second), idsOf(there)));
      assert.equal(await tenant.logoutNotifications.nextDue(), 0);
      assert.deepEqual(await told(other), []);
      const [first] = await tenant.logoutNotifications.page(undefined, 1);
      const { client_id, instance, ...said } = first ?? assert.fail();
      assert.ok(there.some((client) => client.client_id === client_id && client.instance === instance));
      const untried = { state: 'waiting', attempts: 0, attempted_at: null, due_at: 0, problem: null };
      assert.deepEqual(said, { sid: session.sid, sub: ADA, issuer: null, ...untried });
    }),
  );

  test(
    'the name of ours under which a client took part goes with it, also into a session that goes on',
    onEmptyStorage(make, async ({ tenant }) => {
      const session = aSession(ADA);
      const issuer = 'https://alias.example';
      await tenant.sessions.create(session, NEW_SESSION);
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await tenant.sessions.addClient(session.sid, { ...client, issuer }, NOW);
      const next = aSession(ADA);
      await tenant.sessions.create(next, { ...NEW_SESSION, replaces: session.key });
      assert.equal((await tenant.sessions.clients(session.sid))[0]?.issuer, issuer);
      await tenant.sessions.end(next.key);
      assert.equal((await tenant.logoutNotifications.page(undefined, 1))[0]?.issuer, issuer);
      assert.equal((await tenant.logoutNotifications.take(TAKING))[0]?.issuer, issuer);
    }),
  );

  test(
    'an account that is disabled or deleted, and a session that has to make way, are such acts too',
    onEmptyStorage(make, async ({ tenant }) => {
      const account = anAccount({ sub: ADA });
      await tenant.accounts.create(account, EVENT);
      const disabled = await aScene(tenant, 1);
      const changed = { ...account, version: 2, disabled_at: NOW };
      await tenant.accounts.replace(changed, { expectedVersion: 1, endAll: true, event: EVENT });
      assert.deepEqual(await told(tenant), idsOf(disabled.clients));
      const deleted = await aScene(tenant, 1);
      await tenant.accounts.delete(changed, EVENT);
      const surplus = await aScene(tenant, 1, { sub: 'bob' as Subject });
      await tenant.sessions.create(aSession('bob' as Subject), { ...NEW_SESSION, sessionsMax: 1 });
      const replaced = await aScene(tenant, 1);
      const conditions = { ...NEW_SESSION, replaces: replaced.session.key };
      await tenant.sessions.create(aSession('carol' as Subject), conditions);
      const all = [disabled, deleted, surplus, replaced].flatMap(({ clients }) => clients);
      assert.deepEqual(await told(tenant), idsOf(all));
    }),
  );

  test(
    'a session that goes on under a new key, and one that expires, are none',
    onEmptyStorage(make, async ({ tenant }) => {
      const { session } = await aScene(tenant);
      await tenant.sessions.create(aSession(ADA), { ...NEW_SESSION, replaces: session.key });
      await aScene(tenant, 1, { expires_at: NOW - 1 });
      assert.equal(await tenant.sessions.sweepExpired(NOW, 10), 1);
      assert.deepEqual(await told(tenant), []);
    }),
  );
}

function grantsContract(make: MakeEngine): void {
  test(
    'a grant that was given in a session ends with it, with its tokens; one without a session stays (OpenID Connect Back-Channel Logout 1.0 §2.7)',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { session, clients } = await aScene(tenant, 1);
      const client = clients[0] ?? assert.fail();
      const ending = aGrant(client, { sid: session.sid });
      const offline = aGrant(client);
      const token = aTokenOf(ending);
      await tenant.grants.create(ending, token);
      await tenant.grants.create(offline, aTokenOf(offline));
      assert.deepEqual(await tenant.grants.find(ending.grant_id), ending);
      await tenant.sessions.end(session.key);
      await onSecondView(engine, async (second) => {
        assert.equal(await second.grants.find(ending.grant_id), undefined);
        assert.equal(await second.accessTokens.find(token.key), undefined);
        assert.deepEqual(await second.grants.find(offline.grant_id), offline);
      });
      const { sid, sub } = session;
      const changes = [...endOfGrant(ending, token), { kind: 'session-ended', sid, sub }];
      assert.deepEqual(await tenant.journal.since(0), changes);
    }),
  );

  test(
    'a session that goes on under a new key keeps its grants',
    onEmptyStorage(make, async ({ tenant }) => {
      const { session, clients } = await aScene(tenant, 1);
      const grant = aGrant(clients[0] ?? assert.fail(), { sid: session.sid });
      await tenant.grants.create(grant, aTokenOf(grant));
      await tenant.sessions.create(aSession(ADA), { ...NEW_SESSION, replaces: session.key });
      assert.deepEqual(await tenant.grants.find(grant.grant_id), grant);
    }),
  );

  endedSessionContract(make);
}

function endedSessionContract(make: MakeEngine): void {
  test(
    'of grants that are made in a session while it ends none stays, and none is made afterwards',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { session, clients } = await aScene(tenant, 1);
      const client = clients[0] ?? assert.fail();
      const grants = times(10, () => ({ ...aGrant(client), sid: session.sid }));
      await onSecondView(engine, async (second) => {
        const make = async (grant: (typeof grants)[number]): Promise<boolean> =>
          await tenant.grants.createInSession(grant, aTokenOf(grant));
        const [early, late, ...between] = grants;
        assert.ok(early !== undefined && late !== undefined);
        assert.equal(await make(early), true);
        const making = between.map(make);
        await second.sessions.end(session.key);
        assert.equal(await make(late), false);
        await Promise.all(making);
        for (const { grant_id } of grants) assert.equal(await second.grants.find(grant_id), undefined);
      });
      const after = { ...aGrant(client), sid: session.sid };
      const token = aTokenOf(after);
      assert.equal(await tenant.grants.createInSession(after, token), false);
      assert.equal(await tenant.accessTokens.find(token.key), undefined);
    }),
  );

  test(
    'a code of a session that has ended gives no grant, also none that outlives its session',
    onEmptyStorage(make, async ({ tenant }) => {
      const { session, clients } = await aScene(tenant, 1);
      const client = clients[0] ?? assert.fail();
      const [early, late] = [aCode(client), aCode(client)];
      for (const code of [early, late]) await tenant.authorizationCodes.issue(code);
      const redeemed = async ({ key }: typeof late, grant: StoredGrant): Promise<string> =>
        await tenant.authorizationCodes.redeem(key, { grant, token: aTokenOf(grant), sid: session.sid });
      assert.equal(await redeemed(early, aGrant(client, { sid: session.sid })), 'redeemed');
      await tenant.sessions.end(session.key);
      for (const grant of [aGrant(client, { sid: session.sid }), aGrant(client)]) {
        assert.equal(await redeemed(late, grant), 'signed-out');
        assert.equal(await tenant.grants.find(grant.grant_id), undefined);
      }
      assert.equal(await redeemed(early, aGrant(client)), 'used');
      const grant = aGrant(client);
      const token = aTokenOf(grant);
      assert.equal(await tenant.authorizationCodes.redeem(late.key, { grant, token }), 'redeemed', 'unused');
    }),
  );
}

function takingContract(make: MakeEngine): void {
  test(
    'of fifty that take at once, over two views, each notification is given to one',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { session, clients } = await aScene(tenant, 20);
        await tenant.sessions.end(session.key);
        const taken = await Promise.all(
          times(50, (index) =>
            (index % 2 === 0 ? tenant : second).logoutNotifications.take({ ...TAKING, limit: 3 }),
          ),
        );
        assert.deepEqual(idsOf(taken.flat()), idsOf(clients));
        assert.deepEqual(taken.flat()[0]?.attempts, 1);
      });
    }),
  );

  test(
    'a taken notification can be taken again after its lease expires, and not before',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { session } = await aScene(tenant, 1);
      await tenant.sessions.end(session.key);
      assert.deepEqual(await other.logoutNotifications.take(TAKING), []);
      const [first] = await tenant.logoutNotifications.take(TAKING);
      assert.equal(await tenant.logoutNotifications.nextDue(), NOW + 60);
      assert.deepEqual(await tenant.logoutNotifications.take({ ...TAKING, now: NOW + 59 }), []);
      const [again] = await tenant.logoutNotifications.take({ ...TAKING, now: NOW + 60, until: NOW + 120 });
      assert.deepEqual(again, { ...first, attempts: 2 });
      assert.ok(first !== undefined && again !== undefined);
      assert.equal(await tenant.logoutNotifications.settle(first, { outcome: 'delivered' }), false);
      assert.equal(await tenant.logoutNotifications.settle(again, { outcome: 'delivered' }), true);
      assert.equal(await tenant.logoutNotifications.settle(again, { outcome: 'delivered' }), false);
    }),
  );

  test(
    'of some sessions only',
    onEmptyStorage(make, async ({ tenant }) => {
      const [one, two] = [await aScene(tenant, 2), await aScene(tenant, 1)];
      for (const { session } of [one, two]) await tenant.sessions.end(session.key);
      const taken = await tenant.logoutNotifications.take({ ...TAKING, sids: [one.session.sid] });
      assert.deepEqual(idsOf(taken), idsOf(one.clients));
      assert.deepEqual(await tenant.logoutNotifications.take({ ...TAKING, sids: [] }), []);
      assert.deepEqual(idsOf(await tenant.logoutNotifications.take(TAKING)), idsOf(two.clients));
    }),
  );
}

async function takenOne(tenant: TenantStorage): Promise<TakenLogoutNotification> {
  const { session } = await aScene(tenant, 1);
  await tenant.sessions.end(session.key);
  const [taken] = await tenant.logoutNotifications.take({ ...TAKING, sids: [session.sid] });
  return taken ?? assert.fail();
}

function settlingContract(make: MakeEngine): void {
  test(
    'how an attempt went is kept: delivered, failed, or to be tried again later',
    onEmptyStorage(make, async ({ tenant }) => {
      const store = tenant.logoutNotifications;
      const [delivered, failed, later] = [
        await takenOne(tenant),
        await takenOne(tenant),
        await takenOne(tenant),
      ];
      await store.settle(delivered, { outcome: 'delivered' });
      await store.settle(failed, { outcome: 'failed', problem: 'status 400' });
      await store.settle(later, { outcome: 'postponed', problem: 'timeout', due_at: NOW + 5 });
      const page = await store.page(undefined, 100);
      const states = new Map(page.map(({ sid, state, due_at, problem }) => [sid, [state, due_at, problem]]));
      assert.deepEqual(states.get(delivered.sid), ['delivered', null, null]);
      assert.deepEqual(states.get(failed.sid), ['failed', null, 'status 400']);
      assert.deepEqual(states.get(later.sid), ['waiting', NOW + 5, 'timeout']);
      assert.equal(await store.nextDue(), NOW + 5);
      assert.deepEqual(
        (await store.take({ ...TAKING, now: NOW + 5, until: NOW + 65 })).map(({ sid }) => sid),
        [later.sid],
      );
    }),
  );

  test(
    'of what was unneeded nothing is kept; what is done with is swept after a while, some at a time',
    onEmptyStorage(make, async ({ tenant }) => {
      const store = tenant.logoutNotifications;
      await store.settle(await takenOne(tenant), { outcome: 'unneeded' });
      assert.deepEqual(await told(tenant), []);
      for (const _ of times(3, () => 0)) await store.settle(await takenOne(tenant), { outcome: 'delivered' });
      const waiting = await takenOne(tenant);
      assert.equal(await store.sweepSettled(NOW, 2), 0);
      assert.equal(await store.sweepSettled(NOW + 1, 2), 2);
      assert.equal(await store.sweepSettled(NOW + 1, 2), 1);
      assert.deepEqual(await told(tenant), [waiting.client_id]);
    }),
  );

  test(
    'pages go on behind the last one',
    onEmptyStorage(make, async ({ tenant }) => {
      const { session, clients } = await aScene(tenant, 5);
      await tenant.sessions.end(session.key);
      const first = await tenant.logoutNotifications.page(undefined, 3);
      const second = await tenant.logoutNotifications.page(first.at(-1), 3);
      assert.deepEqual([first.length, second.length], [3, 2]);
      assert.deepEqual(idsOf([...first, ...second]), idsOf(clients));
      assert.equal(await tenant.sessions.end(aDigest()), undefined);
    }),
  );
}
