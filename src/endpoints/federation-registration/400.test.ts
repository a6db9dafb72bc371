import { test } from 'node:test';
import { answer } from '../answer.ts';
import { assertFederationNotEnabled, received, requestOf, type TestRequest } from '../test-exchange.ts';
import { contract } from './contract.ts';
import { federationRegistration } from './endpoint.ts';

const REQUESTS: readonly (readonly [name: string, request: TestRequest])[] = [
  ['a statement', { contentType: 'application/jose', body: 'e30.e30.c2ln' }],
  ['a trust chain', { contentType: 'application/trust-chain+json', body: '["e30.e30.c2ln"]' }],
  ['nothing', {}],
];

for (const [name, request] of REQUESTS) {
  test(`POST /federation/clients without a federation, ${name}: 400 federation_not_enabled (interface; decision 37)`, async () => {
    const response = await answer(federationRegistration(), requestOf(contract, request), () => undefined);
    assertFederationNotEnabled(await received(contract, response), 400);
  });
}
