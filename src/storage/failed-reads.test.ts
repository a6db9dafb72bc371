import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FailedReads } from './failed-reads.ts';

const WINDOW_MS = 15_000;
const damage = Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
const busy = Object.assign(new Error('database is locked'), { errcode: 5 });

function world() {
  let now = 0;
  const failedReads = new FailedReads(
    () => now,
    (error) => error === damage,
  );
  const read = failedReads.counted((outcome: unknown) => {
    if (outcome instanceof Error) throw outcome;
    return outcome;
  });
  return {
    read: (times: number, outcome: unknown = 'row') => {
      for (let time = 0; time < times; time += 1) {
        if (outcome instanceof Error) assert.throws(() => read(outcome), outcome);
        else assert.equal(read(outcome), outcome);
      }
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    problem: () => failedReads.problem(),
    failedReads,
  };
}

test('five failed reads among few make the storage unready, with the newest reason; a window without failures ends it', () => {
  const { read, pass, problem } = world();
  read(4, damage);
  assert.equal(problem(), undefined);
  read(1, damage);
  assert.equal(problem(), '5 of 5 reads failed: database disk image is malformed');
  pass(WINDOW_MS);
  read(20);
  assert.notEqual(problem(), undefined, 'the window before counts too');
  pass(WINDOW_MS);
  assert.equal(problem(), undefined);
});

test('one damaged page that is read again and again leaves the storage ready while nine of ten reads succeed', () => {
  const { read, problem } = world();
  read(100);
  read(11, damage);
  assert.equal(problem(), undefined);
  read(2, damage);
  assert.notEqual(problem(), undefined);
});

test('a lock and an error of one request are no failed reads', () => {
  const { read, problem } = world();
  read(9, busy);
  read(9, new TypeError('no such value'));
  assert.equal(problem(), undefined);
});

test('a read that rejects is counted like one that throws', async () => {
  const { failedReads, problem } = world();
  const read = failedReads.counted(async () => await Promise.reject(damage));
  for (let time = 0; time < 5; time += 1) await assert.rejects(read(), damage);
  assert.notEqual(problem(), undefined);
});
