import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AuditEvent, RecordedAuditEvent } from '../../ports/audit-log.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { aClient, anEvent, aToken, HARD_TEXTS, LABEL, NOW, OPEN, times } from './stored-examples.ts';

export function auditContract(make: MakeEngine): void {
  pages(make);
  changes(make);
  failures(make);
  order(make);
  sweeping(make);
}

function withoutSequence(recordedEvent: RecordedAuditEvent): AuditEvent {
  const { sequence: _, ...event } = recordedEvent;
  return event;
}

const recorded = async (tenant: TenantStorage): Promise<AuditEvent[]> =>
  (await tenant.audit.page(0, 10_000)).map(withoutSequence);

const sequences = (events: readonly RecordedAuditEvent[]): number[] => events.map(({ sequence }) => sequence);

/** An event that no engine can store. */
const unstorable = (): AuditEvent => anEvent({ request_id: null as unknown as string });

function pages(make: MakeEngine): void {
  test(
    'events come back as they were recorded, oldest first, and to their own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const events = HARD_TEXTS.map((text, index) =>
        anEvent({
          actor: text,
          detail: index === 0 ? null : text,
          client_id: text,
          at: NOW - index,
          reason: text,
        }),
      );
      const foreign = anEvent({ action: 'client.prune', outcome: 'refused', actor: 'cli' });
      for (const event of events) await tenant.audit.append(event);
      await other.audit.append(foreign);
      assert.deepEqual(await recorded(tenant), events);
      assert.deepEqual(await recorded(other), [foreign]);
    }),
  );

  test(
    'pages after the last sequence seen hold every event once',
    onEmptyStorage(make, async ({ tenant }) => {
      const events = times(25, () => anEvent());
      for (const event of events) await tenant.audit.append(event);
      const seen: RecordedAuditEvent[] = [];
      const lengths: number[] = [];
      while (lengths.at(-1) !== 0) {
        const page = await tenant.audit.page(seen.at(-1)?.sequence ?? 0, 10);
        lengths.push(page.length);
        seen.push(...page);
      }
      assert.deepEqual(lengths, [10, 10, 5, 0]);
      assert.deepEqual(seen.map(withoutSequence), events);
    }),
  );
}

type Five = [AuditEvent, AuditEvent, AuditEvent, AuditEvent, AuditEvent];

function changes(make: MakeEngine): void {
  test(
    'every change that is done has its event, and none that is not done has one',
    onEmptyStorage(make, async ({ tenant }) => {
      const { clients, accessTokens } = tenant;
      const client = aClient();
      const token = aToken();
      const done = times(5, (index) => anEvent({ detail: `done ${index}` })) as Five;
      await clients.create(client, { ...OPEN, event: done[0] });
      await clients.create(aClient({ client_id: client.client_id }), { ...OPEN, event: anEvent() });
      await clients.replace({ ...client, version: 2 }, 1, done[1]);
      await clients.replace({ ...client, version: 2 }, 1, anEvent());
      await clients.replace({ ...client, version: 3 }, 2);
      await clients.delete({ ...client, version: 1 }, anEvent());
      await clients.delete({ ...client, version: 3 }, done[2]);
      await clients.delete({ ...client, version: 3 }, anEvent());
      await clients.create(aClient({ client_id: client.client_id }), { ...OPEN, event: anEvent() });
      await accessTokens.issueInitial(token, LABEL, done[3]);
      await accessTokens.revokeInitial(token.key, done[4]);
      await accessTokens.revokeInitial(token.key, anEvent());
      await clients.create(aClient(), { ...OPEN, initialAccessToken: token.key, event: anEvent() });
      assert.deepEqual(await recorded(tenant), done);
    }),
  );
}

function failures(make: MakeEngine): void {
  test(
    'a change whose event cannot be recorded does not happen, and its neighbours do',
    onEmptyStorage(make, async ({ tenant }) => {
      const { clients, accessTokens, audit } = tenant;
      const kept = aClient();
      const unmade = aClient();
      const initial = aToken();
      const unissued = aToken();
      const neighbour = anEvent();
      await clients.create(kept, OPEN);
      await accessTokens.issueInitial(initial, LABEL, anEvent());
      const before = await recorded(tenant);
      const settled = await Promise.allSettled([
        clients.create(unmade, { ...OPEN, initialAccessToken: initial.key, event: unstorable() }),
        clients.replace({ ...kept, version: 2 }, 1, unstorable()),
        clients.delete(kept, unstorable()),
        accessTokens.issueInitial(unissued, LABEL, unstorable()),
        accessTokens.revokeInitial(initial.key, unstorable()),
        audit.append(unstorable()),
        audit.append(neighbour),
      ]);
      assert.deepEqual(
        settled.map(({ status }) => status),
        [...times(6, () => 'rejected'), 'fulfilled'],
      );
      assert.deepEqual(await recorded(tenant), [...before, neighbour]);
      assert.equal(await clients.find(unmade.client_id), undefined);
      assert.deepEqual(await clients.find(kept.client_id), kept);
      assert.equal(await clients.countOpen(), 1);
      assert.deepEqual(await accessTokens.find(initial.key), initial);
      assert.deepEqual(await accessTokens.findInitial(initial.key), LABEL);
      assert.equal(await accessTokens.find(unissued.key), undefined);
      assert.equal((await accessTokens.pageInitial(undefined, 10)).length, 1);
    }),
  );

  test(
    'a change that fails for another reason leaves no event',
    onEmptyStorage(make, async ({ tenant }) => {
      const token = aToken();
      await tenant.accessTokens.issue(token);
      const bad = aClient({ issued_at: 'soon' as unknown as number });
      await assert.rejects(tenant.accessTokens.issueInitial(token, LABEL, anEvent()));
      await assert.rejects(tenant.clients.create(bad, OPEN));
      assert.deepEqual(await recorded(tenant), []);
      assert.equal(await tenant.clients.countOpen(), 0);
    }),
  );
}

function order(make: MakeEngine): void {
  test(
    'sequences grow in commit order: who follows the log while two storages write misses no event',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const events = times(120, (index) => anEvent({ detail: `${index}` }));
        let writing = true;
        const written = Promise.all(
          events.map((event, index) => {
            const view = index % 2 === 0 ? tenant : second;
            return index % 3 === 0
              ? view.clients.create(aClient(), { ...OPEN, event })
              : view.audit.append(event);
          }),
        ).finally(() => {
          writing = false;
        });
        const seen: RecordedAuditEvent[] = [];
        for (let before = true; before; ) {
          before = writing;
          const page = await second.audit.page(seen.at(-1)?.sequence ?? 0, 1000);
          seen.push(...page);
          await new Promise((resolve) => setImmediate(resolve));
        }
        await written;
        const details = new Set(seen.map(({ detail }) => detail));
        assert.equal(details.size, 120);
        assert.equal(seen.length, 120);
        assert.deepEqual(seen, await tenant.audit.page(0, 1000));
        assert.deepEqual(
          sequences(seen),
          [...new Set(sequences(seen))].toSorted((a, b) => a - b),
        );
      });
    }),
  );
}

function sweeping(make: MakeEngine): void {
  test(
    'events from before a time are swept in batches, whatever their order; the rest and other tenants keep theirs',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const kept = [anEvent({ at: NOW }), anEvent({ at: NOW + 9 }), anEvent({ at: NOW + 1 })] as const;
      const foreign = anEvent({ at: NOW - 5 });
      await tenant.audit.append(kept[0]);
      for (const event of times(12, (index) => anEvent({ at: NOW - 1 - index })))
        await tenant.audit.append(event);
      await tenant.audit.append(kept[1]);
      await tenant.audit.append(kept[2]);
      await other.audit.append(foreign);
      const removed: number[] = [];
      for (let round = 0; round < 4; round += 1) removed.push(await tenant.audit.sweep(NOW, 5));
      assert.deepEqual(removed, [5, 5, 2, 0]);
      assert.deepEqual(await recorded(tenant), kept);
      assert.deepEqual(await recorded(other), [foreign]);
    }),
  );

  test(
    'no sequence is given twice, although all events are swept, and after a restart: a place in the log stays good',
    onEmptyStorage(make, async ({ engine, storage, tenant }) => {
      for (const event of times(3, () => anEvent())) await tenant.audit.append(event);
      const place = (await tenant.audit.page(0, 10)).at(-1)?.sequence ?? 0;
      assert.ok(place > 0);
      assert.equal(await tenant.audit.sweep(NOW + 1, 10), 3);
      assert.equal(await tenant.audit.sweep(NOW + 1, 10), 0);
      assert.deepEqual(await tenant.audit.page(0, 10), []);
      await storage.close();
      await onSecondView(engine, async (after) => {
        const event = anEvent({ client_id: aClient().client_id });
        await after.audit.append(event);
        const found = await after.audit.page(place, 10);
        assert.deepEqual(found.map(withoutSequence), [event]);
      });
    }),
  );
}
