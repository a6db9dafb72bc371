import assert from 'node:assert/strict';
import { test } from 'node:test';
import { converse } from '../program/raw-socket.ts';
import { attackedProgram, encode } from './attacked-program.ts';
import { testInvariantsAtTheEnd } from './closing-tests.ts';
import { CONTENT } from './json-content-rows.ts';
import { MEDIA_TYPES, SYNTAX } from './json-syntax-rows.ts';
import { MEMBER_TYPES } from './member-type-rows.ts';
import {
  POST_AS_ADMIN,
  POST_AS_MASTER,
  POST_OPENLY,
  postWithInitialToken,
  putAsMaster,
} from './registration-routes.ts';
import { postClient } from './registry.ts';

/** H-086…H-104 through every address that takes client metadata, by every credential that opens it. */
const attacked = attackedProgram({
  environment: { CHANCERY_REGISTRATION_ALLOW_OPEN_REGISTRATION: 'true', CHANCERY_ADMIN_LISTENERS: 'both' },
});

for (const route of [POST_AS_MASTER, postWithInitialToken(), POST_OPENLY, putAsMaster()]) {
  for (const row of [...SYNTAX, ...MEDIA_TYPES, ...CONTENT, ...MEMBER_TYPES]) {
    test(`${row.name} (${route.name})`, () => route.play(attacked, row));
  }
}

test('H-096 10 MB sent whole: 413 or a reset, and nothing is stored', async () => {
  const rows = await attacked.stored();
  const request = postClient({ client_name: 'a'.repeat(10_000_000) });
  const { answers, closed } = await converse(attacked.program, encode(request), { until: 'closed' });
  for (const { status } of answers) assert.equal(status, 413);
  assert.ok(closed, 'still reading after five seconds');
  assert.deepEqual(await attacked.stored(), rows);
});

/** These bodies fill a limit exactly; the member around them exceeds it. */
const FULL = /data that makes the body 16 deep|the limit exactly/u;

// H-502
for (const row of [...SYNTAX, ...MEDIA_TYPES, ...CONTENT, ...MEMBER_TYPES].filter(
  ({ name }) => !FULL.test(name),
)) {
  test(`${row.name} (${POST_AS_ADMIN.name})`, () => POST_AS_ADMIN.play(attacked, row));
}

testInvariantsAtTheEnd(attacked);
