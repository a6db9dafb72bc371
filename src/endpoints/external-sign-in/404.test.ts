import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertBodiless } from '../../testing/exchange.ts';
import { externalTenant, PAGE_TOKEN } from '../../testing/external-sign-in.ts';

const { tenant, sentOut, outcome } = await externalTenant();

async function assertNothing(handle: string): Promise<void> {
  assertBodiless(await tenant.send('external-sign-in', { bearer: PAGE_TOKEN, id: handle }), 404);
  assertBodiless(await outcome(handle, { subject: 'mallory' }), 404);
}

for (const handle of ['', 'x', '%', '__proto__', 'A'.repeat(43), 'A'.repeat(5000)]) {
  test(`/interaction-api/${handle.slice(0, 12)}: nothing waits there, 404`, async () =>
    await assertNothing(handle));
}

test('a handle that has its outcome, which is taken once: 404 (docs/sign-in.md)', async () => {
  const { handle } = await sentOut();
  assert.equal((await outcome(handle, { subject: 'ada' })).status, 200);
  await assertNothing(handle);
});

test('of two outcomes at once one is taken', async () => {
  const { handle } = await sentOut();
  const answers = await Promise.all([
    outcome(handle, { subject: 'ada' }),
    outcome(handle, { subject: 'eve' }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status).sort((a, b) => a - b),
    [200, 404],
  );
});

test('a handle that has expired, one with another letter: 404', async () => {
  const { handle } = await sentOut();
  await assertNothing(`${handle.slice(0, -1)}${handle.endsWith('a') ? 'b' : 'a'}`);
  tenant.clock.advance(900);
  await assertNothing(handle);
});
