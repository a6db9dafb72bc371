import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  BackchannelBlock,
  BackchannelLimits,
  StoredBackchannelRequest,
} from '../../ports/backchannel-request-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { ClientId, ClientInstance, Digest, Subject } from '../../spec/identifiers.ts';
import { aDigest } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { EVENT, HARD_TEXTS, NOW, occurrences, times } from './stored-examples.ts';

const ADA = 'ada' as Subject;
const BOB = 'bob' as Subject;
const TILL = { client_id: 'till' as ClientId, client_instance: 'one' as ClientInstance };
const MANY: BackchannelLimits = { perPerson: 1000, perClient: 1000 };

function aRequest(values: Partial<StoredBackchannelRequest> = {}): StoredBackchannelRequest {
  return {
    key: aDigest(),
    id: String(aDigest()),
    person: 'person of ada' as Digest,
    sub: ADA,
    ...TILL,
    state: 'open',
    code: null,
    poll_interval: 5,
    content: '{}',
    created_at: NOW,
    expires_at: NOW + 120,
    kept_until: NOW + 3600,
    attempts: 0,
    due_at: null,
    problem: null,
    ...values,
  };
}

async function begun(
  tenant: TenantStorage,
  values: Partial<StoredBackchannelRequest> = {},
): Promise<StoredBackchannelRequest> {
  const request = aRequest(values);
  assert.equal(await tenant.backchannelRequests.begin(request, MANY, EVENT), 'begun');
  return request;
}

const BLOCK: BackchannelBlock = { sub: ADA, ...TILL, blocked_at: NOW, expires_at: NOW + 1000 };

export function backchannelRequestContract(make: MakeEngine): void {
  keeping(make);
  resealing(make);
  limiting(make);
  deciding(make);
  blocking(make);
  notifying(make);
}

function keeping(make: MakeEngine): void {
  test(
    'a request without a browser comes back by both of its names, in its own tenant only, and in lists',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const content of HARD_TEXTS) {
        const request = await begun(tenant, { content });
        assert.deepEqual(await tenant.backchannelRequests.find(request.key), request);
        assert.deepEqual(await tenant.backchannelRequests.findById(request.id), request);
        assert.equal(await other.backchannelRequests.find(request.key), undefined);
        assert.equal(await other.backchannelRequests.findById(request.id), undefined);
      }
      const ofBob = await begun(tenant, { sub: BOB });
      const unknown = await begun(tenant, { sub: null });
      const store = tenant.backchannelRequests;
      assert.deepEqual(await store.page({ sub: BOB }, '', 10), [ofBob]);
      const all = await store.page({ client_id: TILL.client_id }, '', 100);
      assert.equal(all.length, HARD_TEXTS.length + 2);
      assert.deepEqual(await store.page({}, all.at(-2)?.id ?? '', 10), all.slice(-1));
      assert.deepEqual(await store.page({ client_id: 'other' as ClientId }, '', 10), []);
      assert.deepEqual(await store.openOf(BOB, NOW, 10), [ofBob]);
      assert.deepEqual(await store.openOf(BOB, ofBob.expires_at, 10), []);
      assert.equal((await store.find(unknown.key))?.sub, null);
    }),
  );
}

function resealing(make: MakeEngine): void {
  test(
    'new content of a request needs the content that it replaces, and changes nothing else',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { backchannelRequests: store } = tenant;
      const request = await begun(tenant, { content: '{"sealed":"old"}' });
      const fresh = '{"sealed":"fresh"}';
      assert.equal(await other.backchannelRequests.reseal(request, fresh), false);
      await store.decide({ id: request.id, sub: ADA, now: NOW }, { state: 'denied' }, EVENT);
      assert.equal(await store.reseal(request, fresh), true);
      assert.equal(await store.reseal(request, '{}'), false);
      assert.deepEqual(await store.find(request.key), { ...request, state: 'denied', content: fresh });
    }),
  );
}

function limiting(make: MakeEngine): void {
  test(
    'of twenty requests at once, over two views, as many begin as the limits of a person and of a client allow',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const begin = async (index: number, values: Partial<StoredBackchannelRequest>): Promise<string> =>
          await (index % 2 === 0 ? tenant : second).backchannelRequests.begin(
            aRequest(values),
            { perPerson: 3, perClient: 5 },
            EVENT,
          );
        const ofOne = await Promise.all(times(20, (index) => begin(index, {})));
        assert.equal(occurrences(ofOne, 'begun'), 3);
        assert.equal(occurrences(ofOne, 'too_many_of_person'), 17);
        const person = (index: number): Digest => `person ${index}` as Digest;
        const ofMany = await Promise.all(times(20, (index) => begin(index, { person: person(index) })));
        assert.equal(occurrences(ofMany, 'begun'), 2);
        assert.equal(occurrences(ofMany, 'too_many_of_client'), 18);
        assert.equal(await begin(0, { created_at: NOW + 120 }), 'begun', 'expired ones do not count');
      });
    }),
  );

  test(
    'a longer interval needs the interval that it was made from, and an open request',
    onEmptyStorage(make, async ({ tenant }) => {
      const { backchannelRequests: store } = tenant;
      const request = await begun(tenant);
      assert.equal(await store.slowDown(request, 10), true);
      assert.equal(await store.slowDown(request, 10), false);
      assert.equal((await store.find(request.key))?.poll_interval, 10);
      await store.decide({ id: request.id, sub: ADA, now: NOW }, { state: 'denied' }, EVENT);
      assert.equal(await store.slowDown({ ...request, poll_interval: 10 }, 15), false);
    }),
  );

  test(
    'sweeping removes requests and blocks that are no longer kept, of its own tenant',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const old = { created_at: NOW - 9, expires_at: NOW - 5, kept_until: NOW - 1 };
      await begun(tenant, old);
      await begun(other, old);
      const kept = await begun(tenant, { kept_until: NOW });
      await tenant.backchannelRequests.block({ ...BLOCK, expires_at: NOW - 1 }, EVENT);
      assert.equal(await tenant.backchannelRequests.sweepExpired(NOW, 10), 2);
      assert.equal(await tenant.backchannelRequests.sweepExpired(NOW, 10), 0);
      const [left, ...others] = await tenant.backchannelRequests.page({}, '', 10);
      assert.deepEqual([left?.key, others], [kept.key, []]);
      assert.equal((await other.backchannelRequests.page({}, '', 10)).length, 1);
    }),
  );
}

function deciding(make: MakeEngine): void {
  test(
    'of twenty that allow or refuse a request at once, over two views, one decides, and it alone is recorded',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { id, key } = await begun(tenant);
      const before = (await tenant.audit.page(0, 100)).length;
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(20, (index) =>
            (index % 2 === 0 ? tenant : second).backchannelRequests.decide(
              { id, sub: ADA, now: NOW },
              index % 4 < 2 ? { state: 'allowed', code: `code ${index}` as Digest } : { state: 'denied' },
              { ...EVENT, request_id: `decision ${index}` },
            ),
          ),
        );
        assert.equal(occurrences(outcomes, true), 1);
        const winner = outcomes.indexOf(true);
        const { state, code } = (await tenant.backchannelRequests.find(key)) ?? assert.fail();
        const allowed = winner % 4 < 2;
        assert.deepEqual([state, code], allowed ? ['allowed', `code ${winner}`] : ['denied', null]);
        const events = (await tenant.audit.page(0, 100)).slice(before);
        assert.deepEqual(
          events.map(({ request_id }) => request_id),
          [`decision ${winner}`],
        );
      });
    }),
  );

  test(
    'a request is decided by its end-user or an administrator, while it is open',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { backchannelRequests: store } = tenant;
      const { id } = await begun(tenant);
      const denied = { state: 'denied' } as const;
      assert.equal(await store.decide({ id, sub: BOB, now: NOW }, denied, EVENT), false);
      assert.equal(await store.decide({ id, sub: ADA, now: NOW + 120 }, denied, EVENT), false);
      const elsewhere = { id, sub: undefined, now: NOW };
      assert.equal(await other.backchannelRequests.decide(elsewhere, denied, EVENT), false);
      assert.equal(await store.decide({ id, sub: undefined, now: NOW }, denied, EVENT), true);
      assert.equal(await store.decide({ id, sub: ADA, now: NOW }, denied, EVENT), false);
      const unasked = await begun(tenant, { sub: null });
      assert.equal(await store.decide({ id: unasked.id, sub: ADA, now: NOW }, denied, EVENT), false);
    }),
  );
}

function blocking(make: MakeEngine): void {
  test(
    'a block refuses what is open of the client, hides what comes later, and ends',
    onEmptyStorage(make, async ({ tenant }) => {
      const { backchannelRequests: store } = tenant;
      const open = await begun(tenant);
      const ofBob = await begun(tenant, { sub: BOB });
      assert.equal(await store.block(BLOCK, EVENT), 1);
      assert.equal((await store.find(open.key))?.state, 'denied');
      assert.equal((await store.find(ofBob.key))?.state, 'open');
      assert.deepEqual(await store.blocksOf(ADA, NOW), [BLOCK]);
      assert.equal((await store.find((await begun(tenant)).key))?.sub, null);
      const anew = { client_instance: 'two' as ClientInstance };
      assert.equal((await store.find((await begun(tenant, anew)).key))?.sub, ADA, 'a client of that name');
      const later = { created_at: NOW + 1000, expires_at: NOW + 1100 };
      assert.equal((await store.find((await begun(tenant, later)).key))?.sub, ADA, 'the block is over');
      assert.deepEqual(await store.blocksOf(ADA, NOW + 1000), []);
      assert.equal(await store.block({ ...BLOCK, blocked_at: NOW + 9 }, EVENT), 1, 'refused anew');
      assert.equal(await store.unblock(BLOCK, EVENT), true);
      assert.equal(await store.unblock(BLOCK, EVENT), false);
      assert.equal((await store.find((await begun(tenant)).key))?.sub, ADA);
    }),
  );
}

function notifying(make: MakeEngine): void {
  test(
    'a notification is due at the decision, otherwise at the end, and goes to one of two views at a time',
    onEmptyStorage(make, async ({ engine, tenant, storage }) => {
      const { backchannelRequests: store } = tenant;
      await begun(tenant, { due_at: null });
      assert.equal(await store.nextDue(), undefined);
      assert.deepEqual(await storage.tenants.withBackchannel(), []);
      const pinged = await begun(tenant, { due_at: NOW + 120 });
      assert.equal((await storage.tenants.withBackchannel()).length, 1);
      assert.equal(await store.nextDue(), NOW + 120);
      assert.deepEqual(await store.take(NOW + 50, NOW + 80, 10), []);
      const asked = { id: pinged.id, sub: ADA, now: NOW + 50 };
      await store.decide(asked, { state: 'allowed', code: 'code' as Digest }, EVENT);
      await onSecondView(engine, async (second) => {
        const taken = await Promise.all(
          times(8, (index) =>
            (index % 2 === 0 ? tenant : second).backchannelRequests.take(NOW + 50, NOW + 80, 10),
          ),
        );
        assert.deepEqual(
          taken.flat().map(({ key, state, attempts }) => [key, state, attempts]),
          [[pinged.key, 'allowed', 1]],
        );
      });
      const [again] = await store.take(NOW + 80, NOW + 110, 10);
      assert.equal(again?.attempts, 2, 'a lease that ended without an outcome');
      assert.equal(await store.settle({ key: pinged.key, attempts: 1 }, { outcome: 'delivered' }), false);
      const problem = 'status 503';
      const postponed = { outcome: 'postponed', problem, due_at: NOW + 200 } as const;
      assert.equal(await store.settle(again ?? assert.fail(), postponed), true);
      const [third] = await store.take(NOW + 200, NOW + 230, 10);
      assert.equal(third?.problem, problem);
      assert.equal(await store.settle(third ?? assert.fail(), { outcome: 'failed', problem: 'gone' }), true);
      assert.equal((await store.find(pinged.key))?.problem, 'gone');
      assert.equal(await store.settle(third ?? assert.fail(), { outcome: 'delivered' }), false);
      assert.equal(await store.nextDue(), undefined);
      await store.sweepExpired(NOW, 10);
      assert.deepEqual(await storage.tenants.withBackchannel(), []);
    }),
  );
}
