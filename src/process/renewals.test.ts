import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RenewalRoundOptions } from '../federation/registration/renewal-rounds.ts';
import type { TenantId } from '../spec/identifiers.ts';
import { type RenewingNeeds, startRenewing } from './renewals.ts';
import type { Tenants } from './tenants.ts';

type Open = Awaited<ReturnType<Tenants['open']>>;

function needs(
  renewals: Readonly<Record<string, (options: RenewalRoundOptions) => Promise<unknown>>>,
): RenewingNeeds & {
  readonly errors: string[];
} {
  const errors: string[] = [];
  const tenants = Object.entries(renewals).map(([id, renewDue]) => ({
    id: id as TenantId,
    current: () => ({ federated: { renewDue } }),
  })) as unknown as Open;
  return {
    settings: { 'federation.renewals': 3, 'federation.renewal-interval': 0.01 },
    tenants: { open: async () => await Promise.resolve(tenants) },
    clock: { doubt: () => undefined },
    log: { info: () => undefined, warn: () => undefined, error: (_, message) => void errors.push(message) },
    errors,
  };
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(1);
}

test('a tenant whose superiors are slow, or whose renewals fail, does not delay the renewals of others', async () => {
  let rounds = 0;
  let slow = 0;
  const world = needs({
    slow: async ({ stopped, parallel }) => {
      slow += 1;
      assert.equal(parallel, 3);
      while (!stopped()) await sleep(1);
    },
    broken: async () => await Promise.reject(new Error('no database')),
    quick: async () => {
      rounds += 1;
      await Promise.resolve();
    },
  });
  const renewing = startRenewing(world);
  await until(() => rounds >= 3);
  assert.equal(slow, 1, 'one at a time');
  assert.ok(world.errors.length > 0);
  await renewing.stop();
});

test('a server that stops waits for the renewals that run, and begins none', async () => {
  let ended = false;
  let begun = 0;
  const renewing = startRenewing(
    needs({
      one: async ({ stopped }) => {
        begun += 1;
        while (!stopped()) await sleep(1);
        await sleep(5);
        ended = true;
      },
    }),
  );
  await until(() => begun > 0);
  await renewing.stop();
  assert.equal(ended, true);
  assert.equal(begun, 1);
});
