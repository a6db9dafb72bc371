import assert from 'node:assert/strict';
import { test } from 'node:test';
import { received, requestOf } from '../../testing/exchange.ts';
import { SILENT } from '../../testing/readiness.ts';
import { answer } from '../answer.ts';
import { liveContract, readyContract } from './contract.ts';
import { healthLive, healthReady, storageState } from './endpoint.ts';

test('GET /health/live: 200, whatever the storage does: the process answers', async () => {
  const response = await answer(healthLive(), requestOf(liveContract, {}), () => assert.fail('no failure'));
  const answered = await received(liveContract, response);
  assert.equal(answered.status, 200);
  assert.deepEqual(answered.json, { status: 'live' });
  assert.equal(answered.headers['cache-control'], 'no-store');
});

test('GET /health/ready: 200 where the storage reads and writes, asked anew each time', async () => {
  let asked = 0;
  const ready = async (): Promise<void> => {
    asked += 1;
  };
  const endpoint = healthReady(() => storageState({ ready }, SILENT));
  for (let time = 1; time <= 2; time += 1) {
    const answered = await received(
      readyContract,
      await answer(endpoint, requestOf(readyContract, {}), () => undefined),
    );
    assert.equal(answered.status, 200);
    assert.deepEqual(answered.json, { status: 'ready', checks: { storage: 'passed' } });
    assert.equal(asked, time);
  }
});

test('GET /health/ready, the storage fails: 503 without the cause, which is in the log', async () => {
  const cause = new Error('disk /var/lib/registry is full');
  const logged: unknown[] = [];
  const log = { ...SILENT, error: (members: object) => void logged.push(members) };
  const ready = async (): Promise<void> => {
    throw cause;
  };
  const endpoint = healthReady(() => storageState({ ready }, log));
  const answered = await received(
    readyContract,
    await answer(endpoint, requestOf(readyContract, {}), () => assert.fail('handled')),
  );
  assert.equal(answered.status, 503);
  assert.deepEqual(answered.json, { status: 'not-ready', checks: { storage: 'failed' } });
  assert.deepEqual(logged, [{ cause }]);
});

for (const status of ['starting', 'stopping'] as const) {
  test(`GET /health/ready of a process that is ${status}: 503, which says so`, async () => {
    const answered = await received(
      readyContract,
      await answer(
        healthReady(() => ({ status })),
        requestOf(readyContract, {}),
        () => undefined,
      ),
    );
    assert.equal(answered.status, 503);
    assert.deepEqual(answered.json, { status });
  });
}
