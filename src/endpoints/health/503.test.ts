import assert from 'node:assert/strict';
import { test } from 'node:test';
import { received, requestOf } from '../../testing/exchange.ts';
import { SILENT } from '../../testing/readiness.ts';
import { answer } from '../answer.ts';
import { readyContract } from './contract.ts';
import { healthReady } from './endpoint.ts';
import { storageState } from './readiness.ts';

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
        healthReady(() => status),
        requestOf(readyContract, {}),
        () => undefined,
      ),
    );
    assert.equal(answered.status, 503);
    assert.deepEqual(answered.json, { status });
  });
}
