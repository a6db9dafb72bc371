import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../ports/log.ts';
import { SILENT } from '../testing/readiness.ts';
import { type Rounds, startRounds } from './rounds.ts';

const UNDONE = { log: SILENT, failure: 'not done' };
const QUICK_S = 0.02;

/** Starts a job whose rounds are counted. The timers of rounds let a process end, so a test waits with timers of its own. */
function counted(
  seconds: number,
  round: () => Promise<void> = async () => await Promise.resolve(),
  log: Log = SILENT,
) {
  let begun = 0;
  const seen = (): number => begun;
  const rounds = startRounds(
    seconds,
    async () => {
      begun += 1;
      await round();
    },
    { log, failure: 'not done' },
  );
  const reached = async (count: number): Promise<void> => {
    while (seen() < count) await sleep(5);
  };
  return { rounds, reached, begun: seen };
}

test('jobs that started at different times begin their rounds in the same callback', async () => {
  let callback = 0;
  const seen: (readonly [string, number])[] = [];
  const job = (name: string, seconds: number): Rounds =>
    startRounds(
      seconds,
      async () => {
        if (seen.length === 0 || seen.at(-1)?.[0] === 'end') callback += 1;
        seen.push([name, callback]);
        queueMicrotask(() => seen.push(['end', callback]));
        await Promise.resolve();
      },
      UNDONE,
    );
  const jobs = [job('often', QUICK_S)];
  await sleep(QUICK_S * 300);
  jobs.push(job('seldom', 3 * QUICK_S));
  const seldom = (): readonly number[] => seen.flatMap(([name, when]) => (name === 'seldom' ? [when] : []));
  while (seldom().length < 5) await sleep(5);
  for (const each of jobs) await each.stop();
  const often = new Set(seen.flatMap(([name, when]) => (name === 'often' ? [when] : [])));
  assert.deepEqual(
    seldom().filter((when) => !often.has(when)),
    [],
  );
  assert.ok(often.size > seldom().length, 'the other rounds of the first job have callbacks of their own');
});

test('a round that is due while the previous one runs is skipped, and stopping waits for it', async () => {
  const long = Promise.withResolvers<undefined>();
  const { rounds, reached, begun } = counted(QUICK_S, async () => {
    await long.promise;
  });
  const { rounds: others, reached: othersReached } = counted(QUICK_S);
  await reached(1);
  await othersReached(4);
  assert.equal(begun(), 1);
  let stopped = false;
  const stop = async (): Promise<void> => {
    await rounds.stop();
    stopped = true;
  };
  const stopping = stop();
  await othersReached(6);
  assert.equal(stopped, false);
  long.resolve(undefined);
  await stopping;
  await others.stop();
});

test('a failed round is logged, and the next one runs', async () => {
  const failures: unknown[] = [];
  const log = { ...SILENT, error: (...words: readonly unknown[]) => failures.push(words) };
  const { rounds, reached } = counted(QUICK_S, async () => await Promise.reject(new Error('away')), log);
  await reached(2);
  await rounds.stop();
  assert.deepEqual(failures[0], [{ cause: new Error('away') }, 'not done']);
});

test('a stopped job begins no round, and the others go on', async () => {
  const one = counted(QUICK_S);
  const other = counted(QUICK_S);
  await one.reached(1);
  await one.rounds.stop();
  const begun = one.begun();
  await other.reached(other.begun() + 3);
  assert.equal(one.begun(), begun);
  await other.rounds.stop();
});
