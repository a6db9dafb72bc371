import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../system/clock.ts';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { publishedKeys } from '../../testing/server-keys.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { jwkSet } from './endpoint.ts';

test('GET /jwks.json, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = {
    ...jwkSet({ keys: await publishedKeys(), maxAge: 300, clock: systemClock }),
    handle,
  };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
