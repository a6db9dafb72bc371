import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

test('the unit of the Debian package lets threads and backups lower their priority, and ends nothing for a forbidden call', () => {
  const unit = readFileSync(new URL('../../deploy/debian/chancery.service', import.meta.url), 'utf8');
  const filters = [...unit.matchAll(/^SystemCallFilter=(.*)$/gmu)].map(([, calls]) => calls);
  // Each line changes what the lines above it allow, and @resources has setpriority.
  assert.ok(filters.indexOf('setpriority') > filters.indexOf('~@privileged @resources'), filters.join('; '));
  assert.match(unit, /^SystemCallErrorNumber=EPERM$/mu);
});
