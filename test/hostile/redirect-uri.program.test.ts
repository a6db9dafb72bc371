import { test } from 'node:test';
import { attackedProgram } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { REDIRECT_URIS } from './redirect-uri-rows.ts';
import { POST_AS_MASTER, putAsMaster } from './registration-routes.ts';

/** H-050…H-070 with the master token: no token can store what no client may be (decision 8). */
const attacked = attackedProgram();

for (const route of [POST_AS_MASTER, putAsMaster()]) {
  for (const row of REDIRECT_URIS) test(`${row.name} (${route.name})`, () => route.play(attacked, row));
}

testInvariantsAtTheEnd(attacked);
