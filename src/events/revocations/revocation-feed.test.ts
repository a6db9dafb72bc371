import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Change, NumberedChange } from '../../ports/change-journal.ts';
import type { ClientId } from '../../spec/identifiers.ts';
import type { RevocationClaims } from '../../spec/revocation-feed.ts';
import { type FeedStart, type FeedWord, type RevocationFeed, revocationFeed } from './revocation-feed.ts';

const change = (number: number): Change => ({ kind: 'client-changed', client_id: `c${number}` as ClientId });

/** A journal in memory, and a feed whose looks happen when the test says so. */
function world() {
  let head = 0;
  let kept: NumberedChange[] = [];
  let now = 1000;
  let failure: Error | undefined;
  const state = { signed: 0, served: true, reads: 0 };
  const sleepers: (() => void)[] = [];
  const stop = new AbortController();
  const feed = revocationFeed({
    issuer: 'https://op.example.com',
    journal: {
      head() {
        state.reads += 1;
        if (failure !== undefined) throw failure;
        return head;
      },
      page: async (sequence, limit) => kept.filter((row) => row.sequence > sequence).slice(0, limit),
    },
    cursors: { textOf: String, sequenceOf: Number },
    clock: { now: () => now, milliseconds: () => now * 1000 },
    async sign(claims) {
      state.signed += 1;
      return JSON.stringify(claims);
    },
    sleep: async () => await new Promise<void>((wake) => void sleepers.push(wake)),
    heartbeat: 2,
    isServed: async () => state.served,
    stopping: stop.signal,
    log: { warn: () => undefined },
  });
  return {
    feed,
    state,
    stop,
    add: (count = 1): void => {
      for (let each = 0; each < count; each += 1) {
        head += 1;
        kept.push({ sequence: head, change: change(head) });
      }
    },
    /** Deletes the rows up to a number. */
    trim: (until: number) => void (kept = kept.filter(({ sequence }) => sequence > until)),
    restart: () => void ([head, kept] = [0, []]),
    fail: (error: Error) => void (failure = error),
    /** Lets time pass, and the feed look. */
    pass: async (seconds = 0.25): Promise<void> => {
      now += seconds;
      for (const wake of sleepers.splice(0)) wake();
      await turns();
    },
  };
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const claimsOf = (word: FeedWord): RevocationClaims =>
  'end' in word ? assert.fail(word.end) : (JSON.parse(word.jwt) as RevocationClaims);

/** A reader that takes what comes as soon as it comes. */
function reading(feed: RevocationFeed, start: FeedStart = 'newest') {
  const gone = new AbortController();
  const words: FeedWord[] = [];
  const done = (async () => {
    for await (const word of feed.follow(start, gone.signal)) words.push(word);
  })();
  return { words, gone, done };
}

const named = (words: readonly FeedWord[]): readonly string[] =>
  words
    .flatMap((word) => ('end' in word ? [] : claimsOf(word).events))
    .flatMap((event) => (event.type === 'client-changed' ? [event.client_id] : []));

/** Each JWT must begin where the one before ended. */
function assertUnbroken(words: readonly FeedWord[]): void {
  const all = words.filter((word) => !('end' in word)).map(claimsOf);
  for (const [index, { after }] of all.entries()) if (index > 0) assert.equal(after, all[index - 1]?.cursor);
}

test('a hundred readers share one look at the journal and one signature for each piece', async () => {
  const { feed, state, add, pass } = world();
  const readers = Array.from({ length: 100 }, () => reading(feed));
  await turns();
  const before = { ...state };
  add(3);
  await pass();
  for (const { words } of readers) assert.deepEqual(named(words), ['c1', 'c2', 'c3']);
  assert.equal(state.signed - before.signed, 1);
  assert.equal(state.reads - before.reads, 1);
  for (const { gone } of readers) gone.abort();
});

test('nothing looks at the journal without a reader, and the last one that leaves ends the looks', async () => {
  const { feed, state, add, pass } = world();
  add();
  await pass();
  assert.deepEqual([state.reads, state.signed], [0, 0]);
  const { gone, done } = reading(feed);
  await turns();
  gone.abort();
  await done;
  await pass();
  const before = { ...state };
  for (let look = 0; look < 5; look += 1) await pass();
  assert.deepEqual(state, before);
});

test('a reader that is far behind, and one that reads slowly, lose nothing and see nothing twice', async () => {
  const { feed, add, pass } = world();
  add(1000);
  const live = reading(feed);
  const late = reading(feed, 3);
  const slow = feed.follow('newest', new AbortController().signal);
  const slowly: FeedWord[] = [(await slow.next()).value as FeedWord];
  for (let round = 0; round < 40; round += 1) {
    add(300);
    await pass();
  }
  for (let look = 0; look < 80; look += 1) await pass();
  while (named(slowly).length < 12_000) slowly.push((await slow.next()).value as FeedWord);
  const all = Array.from({ length: 13_000 }, (_, index) => `c${index + 1}`);
  assert.deepEqual(named(live.words), all.slice(1000));
  assert.deepEqual(named(late.words), all.slice(3));
  assert.deepEqual(named(slowly), all.slice(1000));
  for (const words of [live.words, late.words, slowly]) assertUnbroken(words);
  live.gone.abort();
  late.gone.abort();
});

test('H-721 a piece with a newer change behind it says so: only a reader at the newest change knows all of them', async () => {
  const { feed, add, pass } = world();
  add(450);
  const { words, gone } = reading(feed, 1);
  for (let look = 0; look < 10; look += 1) await pass();
  const claims = words.map(claimsOf);
  const places = claims.slice(0, 4).map(({ cursor, more }) => [cursor, more]);
  assert.deepEqual(places, [
    ['1', true],
    ['201', true],
    ['401', true],
    ['450', undefined],
  ]);
  gone.abort();
});

test('a place whose following rows were deleted gets a reset to the newest change, at the start and later', async () => {
  const { feed, add, trim, pass } = world();
  add(500);
  trim(100);
  const { words, gone } = reading(feed, 50);
  await pass();
  const [first, second] = words.map(claimsOf);
  assert.deepEqual([first?.cursor, first?.reset], ['50', undefined]);
  assert.deepEqual([second?.after, second?.cursor, second?.reset, second?.events], ['50', '500', true, []]);
  add(300);
  trim(700);
  await pass();
  const last = claimsOf(words.at(-1) ?? assert.fail());
  assert.deepEqual([last.cursor, last.reset], ['800', true]);
  gone.abort();
});

test('the time of a piece is that before its look at the journal', async () => {
  const { feed, add, pass } = world();
  const { words, gone } = reading(feed);
  await pass(1);
  add();
  await pass(1);
  assert.equal(claimsOf(words.at(-1) ?? assert.fail()).iat, 1002);
  await pass(1);
  await pass(1);
  const beat = claimsOf(words.at(-1) ?? assert.fail());
  assert.deepEqual([beat.iat, beat.events, beat.after, beat.cursor], [1004, [], '1', '1']);
  gone.abort();
});

const ENDS: readonly (readonly [string, string, (made: ReturnType<typeof world>) => void])[] = [
  ['the process stops', 'server-stops', ({ stop }) => stop.abort()],
  [
    'the tenant is disabled, deleted or changed',
    'tenant-changed',
    ({ state }) => void (state.served = false),
  ],
  ['the rows of the tenant are gone', 'tenant-changed', ({ restart }) => restart()],
  ['the journal cannot be read', 'unavailable', ({ fail }) => fail(new Error('away'))],
];

for (const [name, reason, act] of ENDS) {
  test(`every stream ends with ${reason} when ${name} (H-647)`, async () => {
    const made = world();
    made.add(5);
    const readers = [reading(made.feed), reading(made.feed, 2)];
    await turns();
    act(made);
    await made.pass(2);
    for (const { words, done } of readers) {
      await done;
      assert.deepEqual(words.at(-1), { end: reason });
    }
  });
}

test('random changes, readers and departures: every reader sees each change after its place once, in order', async () => {
  const seed = { value: 20_261_123 };
  const random = (below: number): number => {
    seed.value = (seed.value * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed.value / 2_147_483_648) * below);
  };
  const { feed, add, pass } = world();
  let head = 0;
  const readers: { readonly from: number; readonly reader: ReturnType<typeof reading> }[] = [];
  for (let act = 0; act < 300; act += 1) {
    const kind = random(4);
    if (kind === 0) {
      const count = random(250);
      add(count);
      head += count;
    } else if (kind === 1 && readers.length < 40) {
      const from = random(head + 1);
      readers.push({ from, reader: reading(feed, from) });
    } else if (kind === 2) await pass();
    else if (readers.length > 5) readers[random(readers.length)]?.reader.gone.abort();
    if (random(2) === 0) await turns();
  }
  for (let look = 0; look < 300; look += 1) await pass();
  for (const { from, reader } of readers) {
    assertUnbroken(reader.words);
    const seen = named(reader.words);
    const expected = Array.from({ length: head - from }, (_, index) => `c${from + index + 1}`);
    assert.deepEqual(seen, reader.gone.signal.aborted ? expected.slice(0, seen.length) : expected);
    reader.gone.abort();
  }
});
