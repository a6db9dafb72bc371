import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CheckpointOutcome, type LogConnection, LogKeeper, type LogState } from './log-keeper.ts';

const PAGES = 160;
const REST = 10;
const LIMIT = 2 * PAGES + 4 * PAGES;
const WRITES = 16;
const SQLITE_IOERR_FSYNC = 1034;
const SQLITE_FULL = 13;

/** A log whose size and thread the test moves. `steps` is what the keeper had done. */
function kept(first: LogState) {
  const steps: string[] = [];
  let state = first;
  let outcome: CheckpointOutcome | undefined;
  let ended = Promise.withResolvers<void>();
  let now_ms = 0;
  let failure: Error | undefined;
  const connection: LogConnection = {
    state: () => state,
    checkpoint() {
      steps.push('own');
      if (failure !== undefined) throw failure;
      return state;
    },
    easeCut: () => undefined,
  };
  const thread = {
    begin() {
      steps.push('thread');
      outcome = undefined;
      ended = Promise.withResolvers();
    },
    poll() {
      const polled = outcome;
      outcome = undefined;
      return polled;
    },
    ended: () => ended.promise,
    close: () => Promise.resolve(),
  };
  const keeper = new LogKeeper({ thread, now_ms: () => now_ms, pages: PAGES });
  return {
    steps,
    keeper,
    commit: (log: number, checkpointed: number, writes = WRITES): Promise<void> => {
      state = { log, checkpointed };
      return keeper.keep(connection, writes);
    },
    threadEnds: (how: CheckpointOutcome): void => {
      outcome = how;
      ended.resolve();
    },
    pass: (ms: number): void => {
      now_ms += ms;
    },
    failOwn: (error: Error): void => {
      failure = error;
    },
  };
}

const EMPTY = { log: 0, checkpointed: 0 };
const withCode = (errcode: number): Error => Object.assign(new Error('of the disk'), { errcode });

test('a short log starts no thread, and its size is asked for after 16 writes only', async () => {
  const { steps, commit } = kept(EMPTY);
  await commit(PAGES - 1, 0);
  await commit(PAGES, 0, WRITES - 1);
  assert.deepEqual(steps, []);
  await commit(PAGES, 0, 1);
  assert.deepEqual(steps, ['thread']);
});

test('while the thread moves a long log, commits go on and move nothing', async () => {
  const { steps, commit } = kept(EMPTY);
  await commit(PAGES, 0);
  await commit(PAGES + 1, 0);
  await commit(LIMIT, 0);
  assert.deepEqual(steps, ['thread']);
});

test('the writer moves a small rest; the thread goes again for a large one', async () => {
  const { steps, commit, threadEnds } = kept(EMPTY);
  await commit(PAGES, 0);
  threadEnds({ log: PAGES, checkpointed: PAGES });
  await commit(PAGES + REST + 1, PAGES);
  assert.deepEqual(steps, ['thread', 'thread']);
  threadEnds({ log: PAGES + REST + 1, checkpointed: PAGES + REST + 1 });
  await commit(PAGES + 2 * REST + 1, PAGES + REST + 1);
  assert.deepEqual(steps, ['thread', 'thread', 'own']);
});

test('a rest is moved again only after 10 ms, in which the log may restart', async () => {
  const { steps, commit, pass } = kept(EMPTY);
  await commit(PAGES, PAGES);
  await commit(PAGES + 1, PAGES);
  assert.deepEqual(steps, ['own']);
  pass(10);
  await commit(PAGES + 1, PAGES);
  assert.deepEqual(steps, ['own', 'own']);
});

test('if the thread cannot keep up, the writer waits for it and moves everything', async () => {
  const { steps, commit, threadEnds } = kept(EMPTY);
  await commit(PAGES, 0);
  let waits = true;
  const committed = commit(LIMIT + 1, 0).finally(() => {
    waits = false;
  });
  await new Promise(setImmediate);
  assert.equal(waits, true);
  threadEnds({ log: PAGES, checkpointed: PAGES });
  await committed;
  assert.deepEqual(steps, ['thread', 'own']);
});

test('a log that a backup holds is tried twice a second, however long it grows, and writes wait neither then nor afterwards', async () => {
  const { steps, commit, pass, threadEnds } = kept(EMPTY);
  await commit(PAGES, 0);
  threadEnds({ log: PAGES, checkpointed: 0 });
  await commit(LIMIT + 1, 0);
  await commit(10 * LIMIT, 0);
  assert.deepEqual(steps, ['thread']);
  pass(500);
  await commit(10 * LIMIT, 0);
  await commit(11 * LIMIT, 0);
  assert.deepEqual(steps, ['thread', 'thread']);
  threadEnds({ log: 10 * LIMIT, checkpointed: 10 * LIMIT });
  await commit(11 * LIMIT, 10 * LIMIT);
  assert.deepEqual(steps, ['thread', 'thread', 'thread']);
});

test('if the thread fails, the writer moves everything, and the thread is tried the next time', async () => {
  const { steps, commit, pass, threadEnds } = kept(EMPTY);
  await commit(PAGES, 0);
  threadEnds({ failure: 'the thread ended', errcode: undefined });
  await commit(PAGES, 0);
  assert.deepEqual(steps, ['thread', 'own']);
  pass(500);
  await commit(PAGES, 0);
  assert.deepEqual(steps, ['thread', 'own', 'thread']);
});

test('an input/output error of the thread is told once, and the log is left alone meanwhile (F58)', async () => {
  const { steps, keeper, commit, threadEnds } = kept(EMPTY);
  await commit(PAGES, 0);
  assert.equal(keeper.inputOutputError(), undefined);
  threadEnds({ failure: 'of the disk', errcode: SQLITE_IOERR_FSYNC });
  await commit(PAGES, 0);
  assert.deepEqual(steps, ['thread']);
  assert.equal(keeper.inputOutputError()?.message, 'of the disk');
  assert.equal(keeper.inputOutputError(), undefined);
});

test('an input/output error of the writer is passed on; a full disk leaves the pages in the log (F58)', async () => {
  const { steps, commit, pass, failOwn } = kept(EMPTY);
  failOwn(withCode(SQLITE_FULL));
  await commit(PAGES, PAGES);
  await commit(PAGES, PAGES);
  assert.deepEqual(steps, ['own']);
  pass(500);
  failOwn(withCode(SQLITE_IOERR_FSYNC));
  await assert.rejects(commit(PAGES, PAGES), /of the disk/);
});
