import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';

test('/interaction-api/{id}, the store fails: 500 without body, and only the report has the cause', async () => {
  const { tenant, sentOut, outcome } = await externalTenant();
  const { handle } = await sentOut();
  const cause = new Error('/var/lib/registry is full');
  tenant.watch.fail(cause);
  assertBodiless(await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle }), 500);
  assertBodiless(await outcome(handle, { subject: 'ada' }), 500);
  assert.deepEqual(tenant.reports, [cause, cause]);
});
