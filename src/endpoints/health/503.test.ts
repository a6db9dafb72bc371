import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../answer.ts';
import { received, requestOf } from '../test-exchange.ts';
import { readyContract } from './contract.ts';
import { healthReady } from './endpoint.ts';
import { aStorage, SILENT } from './test-readiness.ts';

test('GET /health/ready, the storage fails: 503 without the cause, which is in the log', async () => {
  const cause = new Error('disk /var/lib/registry is full');
  const logged: unknown[] = [];
  const log = { ...SILENT, error: (members: object) => void logged.push(members) };
  const storage = aStorage(async () => {
    throw cause;
  });
  const endpoint = healthReady({ storage, isServing: () => true, log });
  const answered = await received(
    readyContract,
    await answer(endpoint, requestOf(readyContract, {}), () => assert.fail('handled')),
  );
  assert.equal(answered.status, 503);
  assert.deepEqual(answered.json, { status: 'not-ready', checks: { storage: 'failed' } });
  assert.deepEqual(logged, [{ cause }]);
});

test('GET /health/ready of a process that was told to stop: 503, and the storage is left alone', async () => {
  const storage = aStorage(async () => assert.fail('not asked'));
  const endpoint = healthReady({ storage, isServing: () => false, log: SILENT });
  const answered = await received(
    readyContract,
    await answer(endpoint, requestOf(readyContract, {}), () => undefined),
  );
  assert.equal(answered.status, 503);
  assert.deepEqual(answered.json, { status: 'stopping' });
});
