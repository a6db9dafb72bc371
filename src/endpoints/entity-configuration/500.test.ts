import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { entityConfigurationEndpoint } from './endpoint.ts';

test('GET /.well-known/openid-federation, no key: 500 without body, and the next request tries again (interface, Errors)', async () => {
  const cause = new Error('/var/lib/keys');
  const reports: unknown[] = [];
  let calls = 0;
  const sign = async (): Promise<string> => {
    calls += 1;
    throw cause;
  };
  const set = { keys: [] };
  const endpoint = entityConfigurationEndpoint({
    entity: {
      entity_id: 'https://op.example.com',
      authority_hints: [],
      trust_marks: [],
      organization_name: undefined,
      contacts: [],
      historical_keys_endpoint: 'https://op.example.com/historical',
      openid_provider: {},
      lifetime: 600,
    },
    document: { keys: { sign, jwks: async () => set }, clock: { now: () => 1 }, keptFor: 300 },
    maxAge: 300,
  });
  for (const expected of [1, 2]) {
    const response = await answer(endpoint, requestOf(contract, {}), (failure) => reports.push(failure));
    assertBodiless(await received(contract, response), 500);
    assert.equal(calls, expected);
  }
  assert.deepEqual(reports, [cause, cause]);
});
