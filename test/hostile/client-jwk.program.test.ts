import { test } from 'node:test';
import { attackedProgram } from './attacked-program.ts';
import { CLIENT_JWKS, PRIVATE_VALUES } from './client-jwk-rows.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { POST_AS_MASTER, putAsMaster } from './registration-routes.ts';

/** H-071…H-084: no token can register a key that anyone could use, and the server keeps and logs no private key. */
const attacked = attackedProgram({}, async ({ secrets }) => {
  for (const value of PRIVATE_VALUES) secrets.add(value);
});

for (const route of [POST_AS_MASTER, putAsMaster()]) {
  for (const row of CLIENT_JWKS) test(`${row.name} (${route.name})`, () => route.play(attacked, row));
}

testInvariantsAtTheEnd(attacked);
