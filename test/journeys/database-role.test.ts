import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migratedDatabase } from '../../src/testing/postgres/database.ts';
import { startProgram } from '../program/start.ts';

test('start on PostgreSQL as a superuser: a warning in the log that row security does not hold; none for the owner', async () => {
  for (const [role, warned] of [
    ['postgres', true],
    ['chancery', false],
  ] as const) {
    const url = (await migratedDatabase()).replace('chancery@', `${role}@`);
    const program = await startProgram({ environment: { CHANCERY_STORAGE_URL: url } });
    await program.stop();
    const warning = program
      .output()
      .split('\n')
      .some((line) => line.includes('"level":"warn"') && line.includes('BYPASSRLS'));
    assert.equal(warning, warned, program.output());
  }
});
