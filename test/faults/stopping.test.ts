import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../program/start.ts';
import { stopUnderLoad } from './stop-under-load.ts';

/** `npm run faults -- --only stops` does the same with 20 stops of each kind. */
const KINDS: readonly (readonly [what: string, environment: Readonly<Record<string, string>>])[] = [
  ['one process with a grace period', { CHANCERY_STOP_DELAY: '1' }],
  ['two workers with a grace period', { CHANCERY_STOP_DELAY: '1', CHANCERY_WORKERS: '2' }],
  ['one process at once', { CHANCERY_STOP_DELAY: '0' }],
];

for (const [what, environment] of KINDS) {
  test(`H-248 SIGTERM ends ${what} under 64 clients in a closed loop, and no request is cut`, async (t) => {
    const program = await startProgram({ environment });
    try {
      const { cut, exit, announced, answered } = await stopUnderLoad(program);
      t.diagnostic(`${answered} answers, ${announced} announced the end of their connection`);
      assert.deepEqual({ cut, exit }, { cut: [], exit: 0 }, program.output());
      assert.ok(announced >= 64, 'each client was told that its connection ends');
    } finally {
      await program.stop();
    }
  });
}
