import { test } from 'node:test';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { METADATA_POLICY } from './metadata-policy-rows.ts';
import { POST_AS_MASTER, postWithInitialToken, putAsMaster } from './registration-routes.ts';

/** The policy rows of docs/contract/hostile/registration.md: the same rules whatever the credential, and on update as on registration. */
const attacked = attackedProgram();

// Each identifier can be registered once only: the initial access token plays the rows without one.
const repeatable = METADATA_POLICY.filter(({ expectedOfUpdate }) => expectedOfUpdate === undefined);
for (const row of METADATA_POLICY) {
  test(`${row.name} (${POST_AS_MASTER.name})`, () => POST_AS_MASTER.play(attacked, row));
}
for (const route of [postWithInitialToken(), putAsMaster()]) {
  const rows = route.name.startsWith('PUT') ? METADATA_POLICY : repeatable;
  for (const row of rows) test(`${row.name} (${route.name})`, () => route.play(attacked, row));
}

testInvariantsAtTheEnd(attacked);
