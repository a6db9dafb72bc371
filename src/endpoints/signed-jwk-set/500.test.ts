import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { signedJwkSet } from './endpoint.ts';

test('GET /jwks.jwt, a fault: 500 without body, and only the report has the cause (interface, Errors)', async () => {
  const cause = new Error('/var/lib/registry');
  const reports: unknown[] = [];
  const handle = (): never => {
    throw cause;
  };
  const faulty = { ...signedJwkSet(undefined), handle };
  const response = await answer(faulty, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
