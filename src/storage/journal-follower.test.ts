import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../ports/change-journal.ts';
import type { ClientId } from '../spec/identifiers.ts';
import { times } from '../testing/storage/stored-examples.ts';
import { type FollowedJournal, followJournal, type JournalFollower } from './journal-follower.ts';
import { requestWaits, waitOfRequest } from './request-waits.ts';

const change = (name: string): Change => ({ kind: 'client-changed', client_id: name as ClientId });

type Lessons = (readonly Change[] | undefined)[];

function following(journal: FollowedJournal): { follower: JournalFollower; learnt: Lessons } {
  const learnt: Lessons = [];
  return { follower: followJournal(journal, (changes) => learnt.push(changes)), learnt };
}

/** An embedded journal; counts how often it is read. */
function embedded(): { journal: FollowedJournal; changes: Change[]; reads: () => number } {
  const changes: Change[] = [];
  let count = 0;
  const head = (): number => {
    count += 1;
    return changes.length;
  };
  return { journal: { head, since: (sequence) => changes.slice(sequence) }, changes, reads: () => count };
}

test('the first reading forgets everything, the later ones tell the changes, once each', async () => {
  const { journal, changes } = embedded();
  const { follower, learnt } = following(journal);
  changes.push(change('before'));
  await follower.catchUp();
  changes.push(change('a'), change('b'));
  await nextTurn();
  await follower.catchUp();
  await nextTurn();
  await follower.catchUp();
  assert.deepEqual(learnt, [undefined, [change('a'), change('b')]]);
});

test('an embedded journal is read once in a callback, without waiting', async () => {
  const { journal, reads } = embedded();
  const { follower } = following(journal);
  for (let call = 0; call < 10; call += 1) assert.equal(follower.catchUp(), undefined);
  assert.equal(reads(), 1);
  await nextTurn();
  assert.equal(follower.catchUp(), undefined);
  assert.equal(reads(), 2);
});

test('what is committed between two callbacks of one turn is known to the second, and one reading does for all of them', async () => {
  const { journal, changes, reads } = embedded();
  const { follower, learnt } = following(journal);
  await follower.catchUp();
  await nextTurn();
  await nextTurn();
  const before = reads();
  const seen: number[] = [];
  // All run in the check phase of the same turn.
  const callbacks = times(5, async (index) => {
    await nextTurn();
    if (index === 1) changes.push(change('meanwhile'));
    await follower.catchUp();
    seen.push(learnt.length);
    // Goes on in the same callback: nothing was received since.
    if (index > 0) assert.equal(follower.catchUp(), undefined);
  });
  await Promise.all(callbacks);
  assert.deepEqual(seen, [1, 2, 2, 2, 2]);
  assert.equal(reads() - before, 2);
});

test('a failed read at the end of the turn fails for the callers that waited for it, and not for later callers', async () => {
  let broken = false;
  const head = (): number => {
    if (broken) throw new Error('no disk');
    return 7;
  };
  const { follower } = following({ head, since: () => undefined });
  await nextTurn();
  const outcomes = await Promise.allSettled(
    times(3, async (index) => {
      await nextTurn();
      const caughtUp = follower.catchUp();
      if (index === 2) broken = true;
      await caughtUp;
    }),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected'],
  );
  broken = false;
  await follower.catchUp();
});

test('a failed reading is not taken for one: the next call of the same callback reads again', () => {
  let broken = true;
  const head = (): number => {
    if (broken) throw new Error('no disk');
    return 7;
  };
  const { follower, learnt } = following({ head, since: () => undefined });
  assert.throws(() => follower.catchUp(), /no disk/);
  assert.throws(() => follower.catchUp(), /no disk/);
  broken = false;
  assert.equal(follower.catchUp(), undefined);
  assert.deepEqual(learnt, [undefined]);
});

for (const [what, head, since] of [
  ['goes back', 3, []],
  ['tells fewer changes than it has numbers for', 9, [change('a')]],
  ['tells none although it moved on', 6, []],
  ['cannot tell', 9, undefined],
] as const) {
  test(`a journal that ${what} has everything forgotten`, async () => {
    let now = 5;
    const { follower, learnt } = following({ head: () => now, since: () => since });
    await follower.catchUp();
    now = head;
    await nextTurn();
    const before = follower.updates();
    await follower.catchUp();
    assert.deepEqual(learnt, [undefined, undefined]);
    assert.ok(follower.updates() > before);
  });
}

test('a remote journal is read once at a time; callers that come meanwhile share the next read', async () => {
  const readings: PromiseWithResolvers<number>[] = [];
  const head = async (): Promise<number> => {
    const reading = Promise.withResolvers<number>();
    readings.push(reading);
    return await reading.promise;
  };
  const { follower, learnt } = following({ head, since: async () => [change('a')] });
  const first = follower.catchUp();
  const shared = [follower.catchUp(), follower.catchUp()];
  await nextTurn();
  shared.push(follower.catchUp());
  assert.equal(readings.length, 1);
  readings[0]?.resolve(1);
  await first;
  await nextTurn();
  assert.equal(readings.length, 2);
  assert.deepEqual(learnt, [undefined]);
  const late = follower.catchUp();
  readings[1]?.resolve(2);
  for (const each of shared) await each;
  assert.deepEqual(learnt, [undefined, [change('a')]]);
  await nextTurn();
  readings[2]?.resolve(2);
  await late;
  assert.equal(readings.length, 3);
});

test('of a remote journal all who ask before the end of a turn share one reading, which begins then', async () => {
  let readings = 0;
  const head = async (): Promise<number> => {
    readings += 1;
    return await Promise.resolve(1);
  };
  const { follower } = following({ head, since: async () => [] });
  await follower.catchUp();
  await nextTurn();
  const asked = [follower.catchUp(), follower.catchUp()];
  await Promise.resolve();
  asked.push(follower.catchUp());
  assert.equal(readings, 1);
  for (const each of asked) await each;
  assert.equal(readings, 2);
  await follower.catchUp();
  assert.equal(readings, 3);
});

test('who asks beside a remote journal asks right behind its next reading, and waits for no other', async () => {
  const steps: string[] = [];
  const readings: PromiseWithResolvers<number>[] = [];
  const head = async (atOnce?: boolean): Promise<number> => {
    steps.push(`reading ${atOnce === true ? 'at once' : 'with the turn'}`);
    const reading = Promise.withResolvers<number>();
    readings.push(reading);
    return await reading.promise;
  };
  const ask = (name: string) => async (): Promise<string> => {
    steps.push(name);
    return await Promise.resolve(name);
  };
  const { follower } = following({ head, since: async () => [] });
  assert.equal(follower.isRemote(), false);
  const first = follower.catchUp();
  assert.equal(follower.isRemote(), true);
  const asked = [follower.askBeside(ask('one')), follower.askBeside(ask('other'))];
  await nextTurn();
  assert.deepEqual(steps, ['reading with the turn'], 'the reading in progress began before they asked');
  readings[0]?.resolve(1);
  assert.deepEqual([await asked[0], await asked[1]], ['one', 'other']);
  assert.deepEqual(steps.splice(0), ['reading with the turn', 'reading at once', 'one', 'other']);
  readings[1]?.resolve(1);
  await first;
  await nextTurn();
  assert.equal(await follower.askBeside(ask('later')), 'later');
  assert.deepEqual(steps, ['reading with the turn', 'later'], 'nothing was in progress');
  readings[2]?.resolve(1);
});

test('a failed read of a remote journal fails for the callers that waited for it, and not for later callers', async () => {
  const outcomes: (number | Error)[] = [new Error('first'), new Error('second'), 4];
  const head = async (): Promise<number> => {
    await nextTurn();
    const outcome = outcomes.shift() ?? 4;
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const { follower, learnt } = following({ head, since: async () => [] });
  const first = Promise.resolve(follower.catchUp());
  const second = Promise.resolve(follower.catchUp());
  const beside = Promise.resolve(follower.askBeside(async () => await Promise.resolve('not asked')));
  await assert.rejects(first, /first/);
  await assert.rejects(second, /first/);
  await assert.rejects(beside, /first/);
  await assert.rejects(async () => await follower.catchUp(), /second/);
  await follower.catchUp();
  assert.deepEqual(learnt, [undefined]);
});

const DEADLINE_MS = 700;
const endless = async (): Promise<never> =>
  await waitOfRequest(async () => await new Promise(() => undefined));
/** A remote answer that comes before the deadline, and leaves less than another one may take. */
const slow = async <T>(answer: T): Promise<T> =>
  await waitOfRequest(async () => await sleep(DEADLINE_MS - 100, answer));

/** Each head comes from the next of the functions; the reading of the first head has begun. */
function remotely(heads: (() => Promise<number>)[], since: FollowedJournal['since']) {
  const requests = requestWaits(DEADLINE_MS);
  const head = async (): Promise<number> => await (heads.shift() ?? endless)();
  const { follower } = following({ head, since });
  const first = requests.begin()(async () => {
    await follower.catchUp();
  });
  return { follower, first, request: requestWaits(DEADLINE_MS).begin() };
}

test('who comes right after a slow remote reading has begun waits no longer than a deadline for it and for the next one (F14)', {
  timeout: 60_000,
}, async () => {
  const { follower, first, request } = remotely([async () => await slow(1)], async () => []);
  await request(async () => {
    await assert.rejects(async () => await follower.catchUp(), /in all/u);
  });
  await first;
});

test('nor for it and for what is asked beside the next one (F14)', { timeout: 60_000 }, async () => {
  const { follower, first, request } = remotely([async () => await slow(1)], async () => []);
  await request(async () => {
    await assert.rejects(async () => await follower.askBeside(endless), /in all/u);
  });
  await first;
});

test('a remote reading waits no longer than a deadline for the head and for the changes (F14)', {
  timeout: 60_000,
}, async () => {
  const heads = [async () => await Promise.resolve(1), async () => await slow(2)];
  const { follower, first, request } = remotely(heads, endless);
  await first;
  await assert.rejects(async () => await request(() => follower.catchUp()), /in all/u);
  // The failed reading is over, so that the next one begins.
  heads.push(async () => await Promise.resolve(1));
  await follower.catchUp();
});
