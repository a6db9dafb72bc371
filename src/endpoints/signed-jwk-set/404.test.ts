import { test } from 'node:test';
import { assertFederationNotEnabled, received, requestOf } from '../../testing/exchange.ts';
import { answer } from '../answer.ts';
import { contract } from './contract.ts';
import { signedJwkSet } from './endpoint.ts';

test('GET /jwks.jwt without a federation: 404 federation_not_enabled, with a body that says so (interface; decision 37)', async () => {
  const response = await answer(signedJwkSet(undefined), requestOf(contract, {}), () => undefined);
  assertFederationNotEnabled(await received(contract, response), 404);
});
