import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { federationHistoricalKeys } from './endpoint.ts';

test('GET /federation/historical-keys, the store fails: 500 without body (interface, Errors)', async () => {
  const cause = new Error('/var/lib/keys');
  const reports: unknown[] = [];
  const endpoint = federationHistoricalKeys({
    issuer: 'https://op.example.com',
    removed: async () => {
      throw cause;
    },
    document: {
      keys: { sign: async () => '', jwks: async () => ({ keys: [] }) },
      clock: { now: () => 1 },
      keptFor: 300,
    },
    maxAge: 300,
  });
  const response = await answer(endpoint, requestOf(contract, {}), (failure) => reports.push(failure));
  assertBodiless(await received(contract, response), 500);
  assert.deepEqual(reports, [cause]);
});
