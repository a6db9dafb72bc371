import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDuringRegistrations } from './kill-during-registrations.ts';

test('kill -9 during registrations, twenty times: nothing acknowledged is lost, nothing is half-written (F1, L1 to L6)', async (context) => {
  const report = await killDuringRegistrations({ rounds: 20 });
  const { lost, half_written, unexpected, integrity, secrets_in_log, ...figures } = report;
  context.diagnostic(JSON.stringify({ ...figures, lost: lost.length, half_written: half_written.length }));
  assert.deepEqual(
    { lost, half_written, unexpected, integrity, secrets_in_log },
    { lost: [], half_written: [], unexpected: [], integrity: 'ok', secrets_in_log: false },
  );
  assert.ok(figures.acked > 20 * 8, `the rounds had load: ${figures.acked} acknowledged`);
  assert.ok(figures.introspections > 0);
  assert.ok(figures.unknown_done + figures.unknown_absent > 0, 'kills fell into requests');
});
