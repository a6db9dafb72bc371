import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageUnavailable } from '../ports/storage.ts';
import { requestWaits, sharedWait, shareWait, waitOfRequest } from './request-waits.ts';

/** A busy machine may add a few hundred milliseconds to each wait. */
const DEADLINE_MS = 500;

function world() {
  const requests = requestWaits(DEADLINE_MS);
  let started = 0;
  return {
    requests,
    run: requests.begin(),
    /** A wait for the database that takes about this long. */
    wait: async (ms: number): Promise<unknown> =>
      await waitOfRequest(async () => {
        started += 1;
        await sleep(ms);
      }),
    started: () => started,
  };
}

test('a request that has waited for its deadline in all is refused before it waits again (F14)', async () => {
  const { run, wait, started } = world();
  await run(async () => {
    await wait(1);
    await wait(DEADLINE_MS);
    await assert.rejects(wait(1), (error: unknown) => {
      assert.ok(error instanceof StorageUnavailable && error.mayComeBack);
      assert.match(error.message, /has waited 500 ms for the database in all/u);
      return true;
    });
  });
  assert.equal(started(), 2);
});

test('time that a request spends elsewhere is no wait for the database (F14)', async () => {
  const { run, wait, started } = world();
  await run(async () => {
    await wait(1);
    await sleep(DEADLINE_MS + 1);
    await wait(1);
  });
  assert.equal(started(), 2);
});

test('work outside a request and a stream have no deadline in all, and shared work has one of its own (F14)', async () => {
  const { run, requests, wait, started } = world();
  for (let time = 0; time < 3; time += 1) await wait(1);
  await run(async () => {
    await wait(DEADLINE_MS + 1);
    await sharedWait(async () => {
      await wait(DEADLINE_MS + 1);
      await assert.rejects(wait(1), /in all/u);
    });
    await requests.outside(async () => await wait(1));
    await assert.rejects(wait(1), StorageUnavailable);
  });
  assert.equal(started(), 6);
});

test('a wait that hangs behind earlier waits is given up by the deadline of the request (F14)', {
  timeout: 60_000,
}, async () => {
  const requests = requestWaits(DEADLINE_MS + 200);
  await requests.begin()(async () => {
    await waitOfRequest(async () => await sleep(DEADLINE_MS + 100));
    await assert.rejects(
      waitOfRequest(async () => await new Promise<never>(() => undefined)),
      /in all/u,
    );
  });
});

test('what many requests wait for counts once, and is given up by their deadline (F14)', async () => {
  const { requests, run, wait, started } = world();
  const endless = new Promise<never>(() => undefined);
  await run(async () => {
    const both = Promise.all([
      shareWait(sleep(DEADLINE_MS + 1), false),
      shareWait(sleep(DEADLINE_MS + 1), false),
    ]);
    await both;
    await assert.rejects(shareWait(sleep(1), false), /in all/u);
    await assert.rejects(wait(1), /in all/u);
  });
  await sleep(50);
  await requests.begin()(async () => {
    const waiting = [shareWait(endless, true), shareWait(endless, true)];
    assert.equal(waiting[0], waiting[1]);
    await assert.rejects(waiting[0] ?? endless, /in all/u);
  });
  assert.equal(started(), 0);
});
