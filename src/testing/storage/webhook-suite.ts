import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TenantStorage } from '../../ports/storage.ts';
import type { DeliveryPlan, StoredWebhook, TakenDelivery } from '../../ports/webhook-store.ts';
import type { Sealed, WebhookId } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { anEvent, EVENT, HARD_TEXTS, NOW, OTHER_TENANT, TENANT, times } from './stored-examples.ts';

const MANY = 100;
const TAKING = { now: NOW, until: NOW + 60, limit: MANY };

function aWebhook(id: string, values: Partial<StoredWebhook> = {}): StoredWebhook {
  return {
    id: id as WebhookId,
    version: 1,
    configuration: JSON.stringify({ url: HARD_TEXTS[0] }),
    sealed: 'sealed' as Sealed,
    created_at: NOW,
    updated_at: NOW,
    disabled_at: null,
    position: 0,
    delivered_at: null,
    delivered: 0,
    missed: 0,
    ...values,
  };
}

async function addWebhook(
  tenant: TenantStorage,
  id: string,
  values?: Partial<StoredWebhook>,
): Promise<StoredWebhook> {
  const webhook = aWebhook(id, values);
  assert.equal(await tenant.webhooks.create(webhook, MANY, EVENT), true);
  return webhook;
}

const planOf = (from: number, to: number, values: Partial<DeliveryPlan> = {}): DeliveryPlan => ({
  from,
  to,
  delivery: { events: to - from, missed: 0, created_at: NOW },
  ...values,
});

const idsOf = (webhooks: readonly StoredWebhook[]): readonly string[] => webhooks.map(({ id }) => id);

export function webhookContract(make: MakeEngine): void {
  keeping(make);
  planning(make);
  taking(make);
  failing(make);
  counting(make);
}

function keeping(make: MakeEngine): void {
  test(
    'a webhook comes back as it was stored, page by page, to its own tenant only, and its tenant is listed until the last one goes',
    onEmptyStorage(make, async ({ storage, tenant, other }) => {
      const made = [];
      for (const [index, id] of ['b', 'a', 'c'].entries())
        made.push(
          await addWebhook(tenant, id, { configuration: HARD_TEXTS[index] ?? '{}', position: index }),
        );
      await addWebhook(other, 'a', { version: 7 });
      const [b, a, c] = made as [StoredWebhook, StoredWebhook, StoredWebhook];
      assert.deepEqual(await tenant.webhooks.find(b.id), b);
      assert.deepEqual(await tenant.webhooks.page(undefined, 2), [a, b]);
      assert.deepEqual(await tenant.webhooks.page(b.id, 2), [c]);
      assert.equal((await other.webhooks.find(a.id))?.version, 7);
      assert.equal(await other.webhooks.find(b.id), undefined);
      assert.deepEqual((await storage.tenants.withWebhooks()).toSorted(), [TENANT, OTHER_TENANT].toSorted());
      assert.equal(await other.webhooks.delete(a.id, 1, EVENT), false);
      assert.equal(await other.webhooks.delete(a.id, 7, EVENT), true);
      assert.equal(await other.webhooks.find(a.id), undefined);
      assert.deepEqual(await storage.tenants.withWebhooks(), [TENANT]);
    }),
  );

  test(
    'of concurrent creations only as many succeed as there may be webhooks, and each has its event',
    onEmptyStorage(make, async ({ tenant }) => {
      const made = await Promise.all(
        times(6, (index) => tenant.webhooks.create(aWebhook(`w${index}`), 4, anEvent())),
      );
      assert.equal(made.filter(Boolean).length, 4);
      assert.equal((await tenant.webhooks.page(undefined, MANY)).length, 4);
      assert.equal((await tenant.audit.page(0, MANY)).length, 4);
    }),
  );

  test(
    'of two changes of one version one succeeds with its event; position and counts stay, unless the change sets the position',
    onEmptyStorage(make, async ({ tenant }) => {
      const webhook = await addWebhook(tenant, 'w');
      const { webhooks } = tenant;
      await webhooks.plan(webhook.id, planOf(0, 5));
      const changed = { ...webhook, version: 2, configuration: '{"n":2}', position: 99, delivered: 9 };
      const [one, two] = await Promise.all(
        times(2, () => webhooks.replace(changed, 1, { event: anEvent({ detail: 'changed' }) })),
      );
      assert.notEqual(one, two);
      assert.deepEqual(await webhooks.find(webhook.id), { ...changed, position: 5, delivered: 0 });
      const events = await tenant.audit.page(0, MANY);
      assert.equal(events.filter(({ detail }) => detail === 'changed').length, 1);
      assert.equal((await webhooks.deliveries(webhook.id, -1, MANY)).length, 1);
      const moved = { ...changed, version: 3 };
      assert.equal(await webhooks.replace(moved, 2, { event: undefined, position: 8 }), true);
      assert.equal((await webhooks.find(webhook.id))?.position, 8);
      assert.deepEqual(await webhooks.deliveries(webhook.id, -1, MANY), []);
      assert.equal((await tenant.audit.page(0, MANY)).length, events.length);
    }),
  );
}

function planning(make: MakeEngine): void {
  test(
    'a webhook that is behind the audit is to be planned, unless it is disabled, has a waiting delivery or too many failed ones',
    onEmptyStorage(make, async ({ tenant: { webhooks, audit, ...tenant } }) => {
      const stage = { webhooks, audit, ...tenant } as TenantStorage;
      const toPlan = async (failedMax = 2): Promise<readonly string[]> =>
        idsOf(await webhooks.toPlan(failedMax));
      const w = await addWebhook(stage, 'w');
      await addWebhook(stage, 'disabled', { disabled_at: NOW });
      await addWebhook(stage, 'ahead', { position: 3 });
      assert.deepEqual(await toPlan(), ['w']);
      assert.equal(await webhooks.plan(w.id, planOf(0, 1)), true);
      assert.deepEqual(await toPlan(), []);
      const [first = assert.fail()] = await webhooks.take(TAKING);
      await webhooks.settle(first, { outcome: 'failed', problem: 'p' });
      assert.deepEqual(await toPlan(), ['w']);
      assert.deepEqual(await toPlan(1), []);
      assert.equal(await webhooks.plan(w.id, planOf(1, 3, { delivery: undefined })), true);
      assert.deepEqual(await toPlan(), []);
      await audit.append(anEvent());
      assert.deepEqual(await toPlan(), ['ahead', 'w']);
    }),
  );

  test(
    'of two processes that plan from one position one succeeds, and a disabled webhook does not move',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { id } = await addWebhook(tenant, 'w');
        const planned = await Promise.all(
          [tenant, second].map(({ webhooks }) => webhooks.plan(id, planOf(0, 2))),
        );
        assert.notEqual(planned[0], planned[1]);
        assert.equal((await second.webhooks.find(id))?.position, 2);
        assert.equal((await second.webhooks.deliveries(id, -1, MANY)).length, 1);
        const off = await addWebhook(tenant, 'off', { disabled_at: NOW });
        assert.equal(await tenant.webhooks.plan(off.id, planOf(0, 2)), false);
        const missing = { events: 1, missed: 7, created_at: NOW };
        await tenant.webhooks.plan(id, planOf(2, 10, { delivery: missing }));
        assert.equal((await tenant.webhooks.find(id))?.missed, 7);
        const [, delivery] = await tenant.webhooks.deliveries(id, -1, MANY);
        const untried = { state: 'waiting', attempts: 0, attempted_at: null, due_at: 0, problem: null };
        const place = { webhook_id: id, after_sequence: 2, until_sequence: 10 };
        assert.deepEqual(delivery, { ...place, ...missing, ...untried });
      });
    }),
  );
}

function taking(make: MakeEngine): void {
  test(
    'a due delivery goes to one of many callers, comes back when its lease ends, and settles only for the last taker',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const { id } = await addWebhook(tenant, 'w');
        await tenant.webhooks.plan(id, planOf(0, 3));
        const views = times(6, (index) => (index % 2 === 0 ? tenant : second));
        const taken = (await Promise.all(views.map(({ webhooks }) => webhooks.take(TAKING)))).flat();
        assert.equal(taken.length, 1);
        assert.equal(await tenant.webhooks.nextDue(), TAKING.until);
        const [late = assert.fail()] = taken;
        const [again = assert.fail()] = await second.webhooks.take({
          now: NOW + 60,
          until: NOW + 99,
          limit: 1,
        });
        assert.deepEqual([late.attempts, again.attempts], [1, 2]);
        const delivered = { outcome: 'delivered', at: NOW + 61 } as const;
        assert.equal(await tenant.webhooks.settle(late, delivered), false);
        assert.equal(await second.webhooks.settle(again, delivered), true);
        assert.equal(await second.webhooks.settle(again, delivered), false);
        const { delivered: count, delivered_at } = (await tenant.webhooks.find(id)) ?? assert.fail();
        assert.deepEqual([count, delivered_at], [3, NOW + 61]);
        assert.deepEqual(await tenant.webhooks.deliveries(id, -1, MANY), []);
        assert.equal(await tenant.webhooks.nextDue(), undefined);
      });
    }),
  );

  test(
    'deliveries of a disabled webhook wait, and a postponed one is not due before its time',
    onEmptyStorage(make, async ({ tenant: { webhooks }, tenant }) => {
      const webhook = await addWebhook(tenant, 'w');
      await webhooks.plan(webhook.id, planOf(0, 3));
      const disabled = { ...webhook, version: 2, disabled_at: NOW };
      await webhooks.replace(disabled, 1, { event: EVENT });
      assert.deepEqual(await webhooks.take(TAKING), []);
      assert.equal(await webhooks.nextDue(), undefined);
      await webhooks.replace({ ...webhook, version: 3 }, 2, { event: EVENT });
      const [taken = assert.fail()] = await webhooks.take(TAKING);
      const later = { outcome: 'postponed', problem: HARD_TEXTS[0] ?? '', due_at: NOW + 100 } as const;
      assert.equal(await webhooks.settle(taken, later), true);
      assert.equal(await webhooks.nextDue(), NOW + 100);
      assert.deepEqual(await webhooks.take({ ...TAKING, now: NOW + 99 }), []);
      const [delivery] = await webhooks.deliveries(webhook.id, -1, MANY);
      assert.deepEqual([delivery?.problem, delivery?.attempted_at], [later.problem, NOW]);
      assert.equal((await webhooks.take({ ...TAKING, now: NOW + 100 })).length, 1);
    }),
  );
}

/** Plans and fails deliveries of one event each. */
async function failed({ webhooks }: TenantStorage, id: WebhookId, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1) {
    await webhooks.plan(id, planOf(from, from + 1));
    const [taken] = await webhooks.take({ ...TAKING, now: NOW + from });
    await webhooks.settle(taken as TakenDelivery, { outcome: 'failed', problem: `p${from}` });
  }
}

function failing(make: MakeEngine): void {
  test(
    'a failed delivery waits for an operator: redelivered or dropped, one or all, with one event; the attempts stay counted',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { webhooks, audit } = tenant;
      const { id } = await addWebhook(tenant, 'w');
      await addWebhook(tenant, 'x');
      await addWebhook(other, 'w');
      await failed(tenant, id, 4);
      await failed(other, id, 1);
      assert.deepEqual(await webhooks.take({ ...TAKING, now: NOW + 10_000 }), []);
      const before = await audit.head();
      assert.equal(await webhooks.redeliver(id, 9, NOW, EVENT), 0);
      assert.equal(await webhooks.redeliver('x' as WebhookId, undefined, NOW, EVENT), 0);
      assert.equal(await audit.head(), before);
      assert.equal(await webhooks.redeliver(id, 1, NOW, EVENT), 1);
      const [taken] = await webhooks.take(TAKING);
      assert.deepEqual([taken?.after_sequence, taken?.attempts], [1, 2]);
      assert.equal(await webhooks.drop(id, 1, EVENT), 0, 'it is under way');
      assert.equal(await webhooks.drop(id, 0, EVENT), 1);
      assert.equal(await webhooks.redeliver(id, undefined, NOW, EVENT), 2);
      assert.equal(await webhooks.drop(id, undefined, EVENT), 0);
      assert.equal(await audit.head(), before + 3);
      const left = await webhooks.deliveries(id, -1, MANY);
      assert.deepEqual(
        left.map(({ after_sequence, state }) => [after_sequence, state]),
        [
          [1, 'waiting'],
          [2, 'waiting'],
          [3, 'waiting'],
        ],
      );
      assert.equal((await other.webhooks.deliveries(id, -1, MANY))[0]?.state, 'failed');
    }),
  );
}

function counting(make: MakeEngine): void {
  test(
    'figures count what is behind, what waits and what failed; a sweep takes failed deliveries that are old, and no other',
    onEmptyStorage(make, async ({ tenant }) => {
      const { webhooks, audit } = tenant;
      assert.deepEqual(await webhooks.figures(), { behind: 0, waiting: 0, failed: 0, oldest: undefined });
      const { id } = await addWebhook(tenant, 'w');
      await failed(tenant, id, 3);
      for (const _ of times(4, () => 0)) await audit.append(anEvent());
      const waiting = { events: 1, missed: 0, created_at: NOW + 5 };
      await webhooks.plan(id, planOf(3, 4, { delivery: waiting }));
      await addWebhook(tenant, 'disabled', { disabled_at: NOW });
      const head = await audit.head();
      const figures = { behind: head - 4, waiting: 1, failed: 3, oldest: NOW + 5 };
      assert.deepEqual(await webhooks.figures(), figures);
      assert.equal(await webhooks.sweepFailed(NOW + 2, 1), 1);
      assert.equal(await webhooks.sweepFailed(NOW + 2, 10), 1);
      assert.equal(await webhooks.sweepFailed(NOW + 2, 10), 0);
      assert.deepEqual(await webhooks.figures(), { ...figures, failed: 1 });
    }),
  );

  test(
    'backlogs count what waits and what failed of each webhook, and leave out webhooks without deliveries',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const { webhooks, audit } = tenant;
      assert.deepEqual(await webhooks.backlogs(), []);
      const { id } = await addWebhook(tenant, 'w');
      await failed(tenant, id, 2);
      const late = await addWebhook(tenant, 'late');
      await addWebhook(tenant, 'idle');
      for (const _ of times(4, () => 0)) await audit.append(anEvent());
      await webhooks.plan(late.id, planOf(late.position, late.position + 1));
      assert.deepEqual(
        (await webhooks.backlogs()).toSorted((one, two) => two.failed - one.failed),
        [
          { webhook_id: id, waiting: 0, failed: 2 },
          { webhook_id: late.id, waiting: 1, failed: 0 },
        ],
      );
      assert.deepEqual(await other.webhooks.backlogs(), []);
    }),
  );
}
