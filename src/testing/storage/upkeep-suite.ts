import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Storage, TenantStorage } from '../../ports/storage.ts';
import type { StoredTenant } from '../../ports/tenant-store.ts';
import type { SweepTimes } from '../../ports/upkeep-store.ts';
import type { SessionId, Subject, TenantId } from '../../spec/identifiers.ts';
import { aDigest, anAccount, anInteraction, aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import {
  aClient,
  aCode,
  aGrant,
  anEvent,
  aTenant,
  aToken,
  aTokenOf,
  EVENT,
  NOW,
  OPEN,
  OTHER_TENANT,
  TENANT,
  times,
} from './stored-examples.ts';

const ADA = 'ada' as Subject;
const BEFORE: SweepTimes = {
  now: NOW,
  settledBefore: NOW,
  auditedBefore: 0,
  renewableBefore: 0,
  versionsBefore: NOW,
  deletedBefore: NOW,
};
const AFTER: SweepTimes = {
  ...BEFORE,
  now: NOW + 1000,
  versionsBefore: NOW + 1000,
  deletedBefore: NOW + 1000,
};

/** Tests the questions of the periodic work about all tenants, or about all tables of one. */
export function upkeepContract(make: MakeEngine): void {
  changesContract(make);
  logoutsContract(make);
  sweepContract(make);
}

function changesContract(make: MakeEngine): void {
  test(
    'the tenants that changed since a version are those alone, with their latest content, for other views too (H-304)',
    onEmptyStorage(make, async ({ engine, storage: { tenants } }) => {
      await onSecondView(engine, async (_, elsewhere) => {
        const all = times(5, () => aTenant()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
        const versions = [await tenants.version()];
        for (const each of all) {
          await tenants.create(each, EVENT);
          versions.push(await tenants.version());
        }
        const [first, second, , , last] = all;
        assert.ok(first && second && last);
        const [start = 0, , , , beforeLast = 0, end = 0] = versions;
        for (const view of [tenants, elsewhere.tenants]) {
          assert.deepEqual(await view.changedSince(start, end), { tenants: all, gone: [] });
          assert.deepEqual(await view.changedSince(beforeLast, end), { tenants: [last], gone: [] });
          assert.deepEqual(await view.changedSince(end, end), { tenants: [], gone: [] });
        }
        const content = {
          aliases: ['https://alias.example'],
          settings: '{"x":1}',
          owner: null,
          disabled_at: NOW,
        };
        await tenants.replace(second.id, 1, content, EVENT);
        const changed: StoredTenant = { ...second, ...content, version: 2 };
        assert.equal(await tenants.replace(first.id, 7, content, EVENT), 'conflict');
        for (const view of [tenants, elsewhere.tenants]) {
          assert.deepEqual(await view.changedSince(end, end + 1), { tenants: [changed], gone: [] });
        }
        await tenants.replace(second.id, 2, content, EVENT);
        assert.equal(
          await tenants.changedSince(end, end + 2),
          undefined,
          'twice: a change is not accounted for',
        );
        assert.equal((await tenants.changedSince(end + 1, end + 2))?.tenants[0]?.version, 3);
      });
    }),
  );
}

/** Ends a session in which a client took part. */
async function endedSession(tenant: TenantStorage): Promise<SessionId> {
  const session = aSession(ADA);
  await tenant.sessions.create(session, NEW_SESSION);
  const client = aClient();
  await tenant.clients.create(client, OPEN);
  await tenant.sessions.addClient(session.sid, client, NOW);
  await tenant.sessions.end(session.key);
  return session.sid;
}

/** Takes everything that is due, and settles it. */
async function settleAll(
  tenant: TenantStorage,
  now: number,
  outcome: 'delivered' | 'postponed',
): Promise<void> {
  for (const taken of await tenant.logoutNotifications.take({ now, until: now + 60, limit: 100 })) {
    const attempt =
      outcome === 'postponed' ? { outcome, problem: 'away', due_at: now + 100 } : ({ outcome } as const);
    assert.equal(await tenant.logoutNotifications.settle(taken, attempt), true);
  }
}

function logoutsContract(make: MakeEngine): void {
  test(
    'the tenants with logouts to deliver are known in one question, until the last one is settled (H-305)',
    onEmptyStorage(make, async ({ engine, storage, tenant, other }) => {
      const waiting = async (view: Storage = storage): Promise<readonly TenantId[]> =>
        (await view.tenants.withLogouts()).toSorted();
      assert.deepEqual(await waiting(), []);
      await endedSession(tenant);
      await endedSession(tenant);
      await endedSession(other);
      await onSecondView(engine, async (_, elsewhere) =>
        assert.deepEqual(await waiting(elsewhere), [TENANT, OTHER_TENANT]),
      );
      await settleAll(other, NOW, 'delivered');
      assert.deepEqual(await waiting(), [TENANT]);
      await settleAll(tenant, NOW, 'postponed');
      assert.deepEqual(await waiting(), [TENANT], 'postponed is not settled');
      const [first] = await tenant.logoutNotifications.take({ now: NOW + 100, until: NOW + 160, limit: 1 });
      await tenant.logoutNotifications.settle(first ?? assert.fail(), { outcome: 'unneeded' });
      assert.deepEqual(await waiting(), [TENANT], 'one is left');
      await settleAll(tenant, NOW + 200, 'delivered');
      assert.deepEqual(await waiting(), []);
      await endedSession(tenant);
      assert.deepEqual(await waiting(), [TENANT], 'it may have some again');
    }),
  );

  test(
    'a tenant whose sessions end while its last logout is settled stays among those with logouts to deliver',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      await onSecondView(engine, async (second) => {
        for (const _ of times(10, () => 0)) {
          await endedSession(tenant);
          await Promise.all([settleAll(tenant, NOW, 'delivered'), endedSession(second)]);
          const isLeft = (await tenant.logoutNotifications.nextDue()) !== undefined;
          assert.deepEqual(await storage.tenants.withLogouts(), isLeft ? [TENANT] : []);
          await settleAll(tenant, NOW, 'delivered');
        }
        assert.deepEqual(await storage.tenants.withLogouts(), []);
      });
    }),
  );
}

/** Adds one row that a sweep removes after `NOW`, and the sweep. */
const ROWS: Readonly<
  Record<
    string,
    readonly [
      add: (tenant: TenantStorage) => Promise<unknown>,
      sweep: (tenant: TenantStorage) => Promise<unknown>,
    ]
  >
> = {
  'an access token': [
    async ({ accessTokens }) => await accessTokens.issue(aToken(undefined, { expires_at: NOW + 1 })),
    async ({ accessTokens }) => await accessTokens.sweepExpired(AFTER.now, 10),
  ],
  'an authorisation code': [
    async (tenant) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      await tenant.authorizationCodes.issue(aCode(client, { kept_until: NOW + 1 }));
    },
    async ({ authorizationCodes }) => await authorizationCodes.sweepExpired(AFTER.now, 10),
  ],
  'a grant': [
    async (tenant) => {
      const client = aClient();
      await tenant.clients.create(client, OPEN);
      const grant = aGrant(client, { expires_at: NOW + 1 });
      await tenant.grants.create(grant, aTokenOf(grant, { expires_at: NOW + 5000 }));
    },
    async ({ grants }) => await grants.sweepExpired(AFTER.now, 10),
  ],
  'a used assertion': [
    async ({ replays }) => await replays.rememberOnce('client-assertion', 'one', 'x', NOW + 1),
    async ({ replays }) => await replays.sweepExpired(AFTER.now, 10),
  ],
  'a rate': [
    async ({ rates }) =>
      await rates.take([{ name: aDigest(), capacity: 2, interval_us: 1_000_000 }], NOW * 1_000_000),
    async ({ rates }) => await rates.sweepExpired(AFTER.now, 10),
  ],
  'a session': [
    async ({ sessions }) => await sessions.create(aSession(ADA, { expires_at: NOW + 1 }), NEW_SESSION),
    async ({ sessions }) => await sessions.sweepExpired(AFTER.now, 10),
  ],
  'an interaction': [
    async ({ interactions }) => await interactions.begin(anInteraction({ expires_at: NOW + 1 })),
    async ({ interactions }) => await interactions.sweepExpired(AFTER.now, 10),
  ],
  'a known browser': [
    async ({ accounts }) => {
      const account = anAccount();
      await accounts.create(account, EVENT);
      await accounts.rememberBrowser(account.sub, aDigest(), NOW + 1, 3);
    },
    async ({ accounts }) => await accounts.sweepExpired(AFTER.now, 10),
  ],
  'a former version of a client': [
    async ({ clients }) => {
      const client = aClient();
      await clients.create(client, OPEN);
      await clients.replace({ ...client, version: 2 }, 1, anEvent({ at: NOW + 1 }), 1);
    },
    async ({ clientHistory }) => await clientHistory.sweep({ ...AFTER, deletedMax: 1 }, 10),
  ],
  'a deleted client': [
    async ({ clients }) => {
      const client = aClient();
      await clients.create(client, OPEN);
      await clients.delete(client, anEvent({ at: NOW + 1 }), true);
    },
    async ({ clientHistory }) => await clientHistory.sweep({ ...AFTER, deletedMax: 1 }, 10),
  ],
  'a client of a federation': [
    async ({ clients }) =>
      await clients.create(aClient({ entity_id: 'https://rp.example', expires_at: NOW + 1 }), OPEN),
    async ({ clients }) => {
      const [client] = await clients.expired(AFTER, 1);
      await clients.delete(client ?? assert.fail(), EVENT);
    },
  ],
};

function sweepContract(make: MakeEngine): void {
  for (const [name, [add, sweep]] of Object.entries(ROWS)) {
    test(
      `${name} that has expired is found by the question of the sweep, in its tenant only, until it is swept (H-305)`,
      onEmptyStorage(make, async ({ tenant, other }) => {
        assert.equal(await tenant.upkeep.isDue(AFTER), false);
        await add(tenant);
        assert.equal(await tenant.upkeep.isDue(BEFORE), false);
        assert.equal(await tenant.upkeep.isDue(AFTER), true);
        assert.equal(await other.upkeep.isDue(AFTER), false);
        await sweep(tenant);
        assert.equal(await tenant.upkeep.isDue(AFTER), false);
      }),
    );
  }

  test(
    'settled logouts and audit events are found by their own times',
    onEmptyStorage(make, async ({ tenant }) => {
      await endedSession(tenant);
      await settleAll(tenant, NOW, 'delivered');
      const settled = { ...BEFORE, settledBefore: NOW + 1 };
      assert.equal(await tenant.upkeep.isDue(BEFORE), false);
      assert.equal(await tenant.upkeep.isDue(settled), true);
      await tenant.logoutNotifications.sweepSettled(NOW + 1, 10);
      assert.equal(await tenant.upkeep.isDue(settled), false);
      await tenant.audit.append(anEvent({ at: NOW }));
      assert.equal(await tenant.upkeep.isDue({ ...BEFORE, auditedBefore: NOW + 1 }), true);
    }),
  );
}
