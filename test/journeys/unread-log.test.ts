import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startProgram } from '../program/start.ts';
import { initialAccessToken } from './initial-access-token.ts';

test('a closed log pipe (EPIPE) stops neither responses nor a clean stop with exit code 0 (F28)', async () => {
  for (const logPipe of [false, true]) {
    const program = await startProgram({ logPipe, environment: { CHANCERY_LOG_LEVEL: 'debug' } });
    try {
      program.closeOutput();
      for (let count = 0; count < 5; count += 1) await initialAccessToken(program, ['client-reg']);
      const ready = await fetch(`${program.managementUrl}/health/ready`);
      assert.equal(ready.status, 200);
    } finally {
      await program.stop();
    }
    assert.equal(await program.exited, 0, logPipe ? 'a pipe' : 'a socket');
  }
});
