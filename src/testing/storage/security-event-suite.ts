import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredStream, TakenStream } from '../../ports/event-stream-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Subject } from '../../spec/identifiers.ts';
import { aSession, NEW_SESSION } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { addStream, fill, found, waiting } from './event-stream-examples.ts';
import { anEvent, EVENT, NOW, times } from './stored-examples.ts';

const MANY = 100;
const TAKING = { now: NOW, until: NOW + 60, limit: MANY };

/** Outboxes of security events: leases, outcomes, and the fate of events that no client takes. */
export function securityEventContract(make: MakeEngine): void {
  leases(make);
  outcomes(make);
  polling(make);
  pauses(make);
  overflow(make);
  verification(make);
  deadLetters(make);
}

const takeOne = async ({ eventStreams }: TenantStorage, now = NOW): Promise<TakenStream> =>
  (await eventStreams.take({ ...TAKING, now, until: now + 60 }))[0] ?? assert.fail('nothing is due');

const sequences = async (
  { eventStreams }: TenantStorage,
  { id }: StoredStream,
  state: 'waiting' | 'failed' = 'waiting',
): Promise<readonly number[]> =>
  (await eventStreams.events(id, state, 0, MANY)).map(({ sequence }) => sequence);

function leases(make: MakeEngine): void {
  test(
    'a stream that is due goes to one of many callers, on two nodes, and again when the lease ends without an outcome',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { stream } = await addStream(tenant);
      await fill(tenant, stream, 2);
      await onSecondView(engine, async (second) => {
        const taken = await Promise.all(
          times(8, (at) => (at % 2 === 0 ? tenant : second).eventStreams.take(TAKING)),
        );
        assert.deepEqual(
          taken.flat().map(({ id, attempts }) => [id, attempts]),
          [[stream.id, 1]],
        );
        assert.deepEqual(await second.eventStreams.take(TAKING), []);
        assert.equal(await second.eventStreams.nextDue(), NOW + 60);
        const again = await takeOne(second, NOW + 60);
        assert.equal(again.attempts, 2);
        const late = taken.flat()[0] ?? assert.fail();
        const outcome = { outcome: 'delivered', sequence: 1, at: NOW } as const;
        assert.equal(await tenant.eventStreams.settle(late, outcome, NOW), false);
        assert.deepEqual(await sequences(tenant, stream), [1, 2]);
        assert.equal(await second.eventStreams.settle(again, outcome, NOW), true);
        assert.deepEqual(await sequences(tenant, stream), [2]);
      });
    }),
  );

  test(
    'the stream that has been due longest is taken first',
    onEmptyStorage(make, async ({ tenant }) => {
      const { stream: late } = await addStream(tenant);
      const { stream: early } = await addStream(tenant);
      for (const each of [late, early]) await fill(tenant, each, 1);
      const due = new Map([
        [late.id, NOW - 1],
        [early.id, NOW - 2],
      ]);
      for (const taken of await tenant.eventStreams.take(TAKING))
        await tenant.eventStreams.settle(
          taken,
          { outcome: 'postponed', problem: 'p', due_at: due.get(taken.id) ?? 0 },
          NOW,
        );
      assert.equal(await tenant.eventStreams.nextDue(), NOW - 2);
      assert.deepEqual(
        (await tenant.eventStreams.take({ ...TAKING, limit: 1 })).map(({ id }) => id),
        [early.id],
      );
    }),
  );
}

function outcomes(make: MakeEngine): void {
  test(
    'outcomes: what is delivered or unneeded goes, what fails is kept, what is postponed waits, and then the stream rests',
    onEmptyStorage(make, async ({ tenant }) => {
      const { stream } = await addStream(tenant);
      const { eventStreams } = tenant;
      await fill(tenant, stream, 3);
      const postponed = { outcome: 'postponed', problem: 'status 500', due_at: NOW + 9 } as const;
      await eventStreams.settle(await takeOne(tenant), postponed, NOW);
      const waits = await found(tenant, stream);
      assert.deepEqual([waits.due_at, waits.problem, waits.attempts], [NOW + 9, 'status 500', 1]);
      assert.deepEqual(await eventStreams.take(TAKING), []);
      const second = await takeOne(tenant, NOW + 9);
      await eventStreams.settle(second, { outcome: 'delivered', sequence: 1, at: NOW + 9 }, NOW + 9);
      const told = await found(tenant, stream);
      const { due_at, problem, attempts, delivered, delivered_at, held } = told;
      assert.deepEqual([due_at, problem, attempts, delivered], [0, null, 0, 1]);
      assert.deepEqual([delivered_at, held], [NOW + 9, 2]);
      const failed = { outcome: 'failed', sequence: 2, problem: 'status 400' } as const;
      await eventStreams.settle(await takeOne(tenant), failed, NOW + 10);
      assert.deepEqual(await sequences(tenant, stream, 'failed'), [2]);
      assert.deepEqual(await sequences(tenant, stream), [3]);
      await eventStreams.settle(await takeOne(tenant), { outcome: 'unneeded', sequence: 3 }, NOW);
      const rests = await found(tenant, stream);
      assert.deepEqual([rests.due_at, rests.held, rests.delivered], [null, 1, 1]);
      assert.deepEqual(await eventStreams.figures(), { waiting: 0, failed: 1 });
      await fill(tenant, stream, 1);
      assert.equal(await eventStreams.nextDue(), 0);
      const idle = await takeOne(tenant);
      await eventStreams.settle(idle, { outcome: 'idle' }, NOW);
      assert.equal(await eventStreams.nextDue(), 0, 'an event that came meanwhile is not forgotten');
    }),
  );
}

function polling(make: MakeEngine): void {
  test(
    'a stream that is polled is never due; each event is acknowledged once, on two nodes, and refused ones are kept',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { stream } = await addStream(tenant, { method: 'poll' });
      const { stream: other } = await addStream(tenant, { method: 'poll' });
      await fill(tenant, stream, 4);
      await fill(tenant, other, 2);
      assert.equal(await tenant.eventStreams.nextDue(), undefined);
      await onSecondView(engine, async (second) => {
        const acknowledgement = { accepted: [1, 2, 99], refused: [], at: NOW + 1 };
        const removed = await Promise.all(
          [tenant, second].map((each) => each.eventStreams.acknowledge(stream.id, acknowledgement)),
        );
        assert.deepEqual(new Set(removed), new Set([0, 2]));
      });
      const refused = [{ sequence: 4, problem: 'invalid_key' }];
      assert.equal(await tenant.eventStreams.acknowledge(stream.id, { accepted: [], refused, at: NOW }), 0);
      assert.deepEqual(await sequences(tenant, stream), [3]);
      const [letter] = await tenant.eventStreams.events(stream.id, 'failed', 0, MANY);
      assert.deepEqual([letter?.sequence, letter?.problem, letter?.attempted_at], [4, 'invalid_key', NOW]);
      const { held, delivered, delivered_at } = await found(tenant, stream);
      assert.deepEqual([held, delivered, delivered_at], [2, 2, NOW + 1]);
      const unneeded = { accepted: [], refused: [], unneeded: [1, 9], at: NOW };
      assert.equal(await tenant.eventStreams.acknowledge(other.id, unneeded), 0);
      assert.deepEqual(await sequences(tenant, other), [2]);
      const rest = await found(tenant, other);
      assert.deepEqual([rest.held, rest.delivered], [1, 0]);
    }),
  );
}

function pauses(make: MakeEngine): void {
  test(
    'a paused stream holds its events but for those up to its notice, and goes on in their order',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant);
      const { eventStreams } = tenant;
      await fill(tenant, stream, 1);
      const notice = { kind: 'stream-updated', content: '{"status":"paused"}', at: NOW } as const;
      const paused = { ...stream, version: 2, status: 'paused' } as const;
      await eventStreams.replace(paused, 1, { event: EVENT, notice });
      const session = aSession('ada' as Subject);
      await tenant.sessions.create(session, NEW_SESSION);
      await tenant.sessions.addClient(session.sid, client, NOW);
      await tenant.sessions.end(session.key, EVENT);
      assert.deepEqual(await sequences(tenant, stream), [1, 2, 3]);
      assert.equal((await found(tenant, stream)).drains_to, 2);
      for (const sequence of [1, 2])
        await eventStreams.settle(await takeOne(tenant), { outcome: 'delivered', sequence, at: NOW }, NOW);
      assert.deepEqual(await eventStreams.take(TAKING), []);
      assert.equal(await eventStreams.nextDue(), undefined);
      await eventStreams.replace({ ...paused, version: 3, status: 'enabled' }, 2, { event: EVENT });
      assert.equal((await takeOne(tenant)).id, stream.id);
      assert.deepEqual(await sequences(tenant, stream), [3]);
    }),
  );
}

function overflow(make: MakeEngine): void {
  test(
    'the last place of an outbox is for the event that says that the stream is disabled, and then no event comes in',
    onEmptyStorage(make, async ({ tenant }) => {
      const { client, stream } = await addStream(tenant, { held_max: 3, status: 'paused' });
      for (let index = 0; index < 5; index += 1) {
        const session = aSession('ada' as Subject);
        await tenant.sessions.create(session, NEW_SESSION);
        await tenant.sessions.addClient(session.sid, client, NOW);
        await tenant.sessions.end(session.key, EVENT);
      }
      const told = await waiting(tenant, stream);
      assert.deepEqual(
        told.map(({ kind }) => kind),
        ['session-revoked', 'session-revoked', 'stream-updated'],
      );
      assert.equal(Reflect.get(told[2] ?? {}, 'status'), 'disabled');
      const { status, version, held, drains_to, due_at } = await found(tenant, stream);
      assert.deepEqual([status, version, held, drains_to, due_at], ['disabled', 2, 3, 3, 0]);
      for (const sequence of [1, 2, 3])
        await tenant.eventStreams.settle(
          await takeOne(tenant),
          { outcome: 'delivered', sequence, at: NOW },
          NOW,
        );
      assert.equal(await tenant.eventStreams.nextDue(), undefined);
    }),
  );
}

function verification(make: MakeEngine): void {
  test(
    'of verifications at the same moment, on two nodes, one is queued; the next one has to wait; a disabled or full stream has none',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const { stream } = await addStream(tenant, { method: 'poll', held_max: 3 });
      const event = { kind: 'verification', content: '{}', at: NOW } as const;
      await onSecondView(engine, async (second) => {
        const asked = await Promise.all(
          [tenant, second].map((each) => each.eventStreams.verify(stream.id, event, NOW - 9)),
        );
        assert.deepEqual(asked.toSorted(), ['queued', 'too_soon']);
      });
      const { eventStreams } = tenant;
      const later = { ...event, at: NOW + 20 };
      assert.equal(await eventStreams.verify(stream.id, later, NOW + 11), 'queued');
      assert.equal(await eventStreams.verify(stream.id, { ...event, at: NOW + 50 }, NOW + 41), 'refused');
      const { stream: disabled } = await addStream(tenant, { status: 'disabled' });
      assert.equal(await eventStreams.verify(disabled.id, event, NOW), 'refused');
      assert.deepEqual(await sequences(tenant, disabled), []);
    }),
  );
}

function deadLetters(make: MakeEngine): void {
  async function failing(tenant: TenantStorage, count: number): Promise<StoredStream> {
    const { stream } = await addStream(tenant);
    await fill(tenant, stream, count);
    for (const sequence of times(count, (index) => index + 1)) {
      const outcome = { outcome: 'failed', sequence, problem: 'p' } as const;
      await tenant.eventStreams.settle(await takeOne(tenant), outcome, NOW + sequence);
    }
    return stream;
  }

  test(
    'failed events wait again or are dropped, one or all, with one event in the audit, and their places are free',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const stream = await failing(tenant, 4);
      const { eventStreams } = tenant;
      const again = anEvent({ detail: 'again' });
      assert.equal(await other.eventStreams.redeliver(stream.id, 1, again), 0);
      assert.equal(await eventStreams.redeliver(stream.id, 9, again), 0);
      assert.equal(await eventStreams.redeliver(stream.id, 1, again), 1);
      assert.equal(await eventStreams.nextDue(), 0);
      assert.deepEqual(await sequences(tenant, stream), [1]);
      assert.equal(await eventStreams.drop(stream.id, 2, EVENT), 1);
      assert.equal(await eventStreams.drop(stream.id, undefined, EVENT), 2);
      assert.equal((await found(tenant, stream)).held, 1);
      const events = await tenant.audit.page(0, MANY);
      assert.equal(events.filter(({ detail }) => detail === 'again').length, 1);
    }),
  );

  test(
    'failed events are swept when they are old, a batch at a time, and their places are free',
    onEmptyStorage(make, async ({ tenant }) => {
      const stream = await failing(tenant, 4);
      assert.equal(await tenant.eventStreams.sweep(NOW + 3, 1), 1);
      assert.equal(await tenant.eventStreams.sweep(NOW + 3, 10), 1);
      assert.equal(await tenant.eventStreams.sweep(NOW + 3, 10), 0);
      assert.deepEqual(await sequences(tenant, stream, 'failed'), [3, 4]);
      assert.equal((await found(tenant, stream)).held, 2);
    }),
  );
}
