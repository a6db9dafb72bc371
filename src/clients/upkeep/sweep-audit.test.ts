import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MASTER, testTenant, WEB_CLIENT } from '../../testing/tenant.ts';
import { sweepAuditEvents } from './sweep-audit.ts';

test('events are removed once they are older than they are kept, in batches, and none before', async () => {
  const tenant = testTenant();
  const { audit, clock, log } = tenant.needs;
  for (let number = 0; number < 7; number += 1) await tenant.register(WEB_CLIENT);
  tenant.clock.advance(100);
  await tenant.register(WEB_CLIENT);
  const needs = { audit, clock, log, batch: 3 };
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 100 }), 0);
  tenant.clock.advance(1);
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 0 }), 0);
  assert.equal(await sweepAuditEvents({ ...needs, lifetime: 100 }), 7);
  assert.equal(tenant.watch.calls.filter((call) => call === 'audit.sweep').length, 4);
  const [kept, ...more] = await tenant.unwatched.audit.page(0, 10);
  assert.deepEqual([kept?.sequence, more.length], [8, 0]);
  assert.equal((await tenant.send('list', { bearer: MASTER })).status, 200);
});

test('a sweep that fails is in the log and throws nothing', async () => {
  const tenant = testTenant();
  const { audit, clock, log } = tenant.needs;
  tenant.watch.fail(new Error('full'), 'audit.sweep');
  assert.equal(await sweepAuditEvents({ audit, clock, log, lifetime: 1, batch: 3 }), 0);
  assert.ok(tenant.log.some(({ message }) => message === 'old audit events could not be swept'));
});
