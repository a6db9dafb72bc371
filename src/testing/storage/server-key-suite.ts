import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredServerKey } from '../../ports/server-key-store.ts';
import type { TenantStorage } from '../../ports/storage.ts';
import type { Sealed } from '../../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { anEvent, aServerKey, EVENT, NOW, occurrences, times } from './stored-examples.ts';

export function serverKeyContract(make: MakeEngine): void {
  firstKeys(make);
  takingOver(make);
  removal(make);
  told(make);
}

/** Keys that are there from the start. */
async function present(tenant: TenantStorage, ...keys: readonly StoredServerKey[]): Promise<void> {
  await tenant.serverKeys.addFirst(keys);
}

const kids = (keys: readonly Pick<StoredServerKey, 'kid'>[]): readonly string[] => keys.map(({ kid }) => kid);

const successorOf = ({ kid }: StoredServerKey, active_at: number): StoredServerKey =>
  aServerKey({ succeeds: kid, active_at });

function firstKeys(make: MakeEngine): void {
  test(
    'the first keys are kept in their order, and later ones do not join them',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const keys = [aServerKey(), aServerKey({ use: 'mac', public_jwk: null }), aServerKey({ use: 'enc' })];
      assert.deepEqual(await tenant.serverKeys.all(), []);
      assert.deepEqual(await tenant.serverKeys.addFirst(keys), keys);
      assert.deepEqual(await tenant.serverKeys.addFirst([aServerKey()]), keys);
      assert.deepEqual(await tenant.serverKeys.all(), keys);
      assert.deepEqual(await other.serverKeys.all(), []);
    }),
  );

  test(
    'two storages that start at once end with the same keys, and with the same first ones of a use',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const either = (index: number) => (index % 2 === 0 ? tenant : second).serverKeys;
        const answers = await Promise.all(
          times(10, (index) => either(index).addFirst([aServerKey(), aServerKey()])),
        );
        const kept = await tenant.serverKeys.all();
        assert.equal(kept.length, 2);
        for (const answer of answers) assert.deepEqual(answer, kept);
        const later = await Promise.all(
          times(10, (index) => either(index).addFirstOf('federation', [aServerKey({ use: 'federation' })])),
        );
        const all = await second.serverKeys.all();
        assert.equal(all.length, 3);
        for (const answer of later) assert.deepEqual(answer, all);
      });
    }),
  );

  test(
    'a key of its own is added once, under an unused kid',
    onEmptyStorage(make, async ({ tenant }) => {
      const first = aServerKey();
      await present(tenant, first);
      const key = aServerKey({ sealed_jwk: null, retired_at: NOW });
      const answers = await Promise.all(times(5, () => tenant.serverKeys.add(key, EVENT)));
      assert.equal(occurrences(answers, true), 1);
      assert.equal(await tenant.serverKeys.add(aServerKey({ kid: first.kid }), EVENT), false);
      assert.deepEqual(await tenant.serverKeys.all(), [first, key]);
    }),
  );

  test(
    'resealing changes the ciphertext of one key; an unknown key is an error',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const first = aServerKey();
      const second = aServerKey();
      await tenant.serverKeys.addFirst([first, second]);
      await other.serverKeys.addFirst([first]);
      const sealed = 'anew' as Sealed;
      await tenant.serverKeys.reseal(first.kid, sealed);
      assert.deepEqual(await tenant.serverKeys.all(), [{ ...first, sealed_jwk: sealed }, second]);
      assert.deepEqual(await other.serverKeys.all(), [first]);
      await assert.rejects(tenant.serverKeys.reseal(aServerKey().kid, sealed));
    }),
  );
}

function takingOver(make: MakeEngine): void {
  test(
    'a successor retires its predecessor when it takes over; of parallel ones one does',
    onEmptyStorage(make, async ({ engine, tenant, other }) => {
      const [old, bystander] = [aServerKey(), aServerKey()];
      await present(tenant, old, bystander);
      await present(other, old);
      await onSecondView(engine, async (second) => {
        const offered = times(8, () => successorOf(old, NOW + 100));
        const answers = await Promise.all(
          offered.map((key, index) => (index % 2 === 0 ? tenant : second).serverKeys.succeed(key, EVENT)),
        );
        assert.equal(occurrences(answers, true), 1);
        const winner = offered[answers.indexOf(true)];
        assert.deepEqual(await second.serverKeys.all(), [
          { ...old, retired_at: NOW + 100 },
          bystander,
          winner,
        ]);
      });
      assert.deepEqual(await other.serverKeys.all(), [old]);
    }),
  );

  test(
    'nothing takes over from a key that is unknown or removed, nor under a kid that is known',
    onEmptyStorage(make, async ({ tenant }) => {
      const [old, removed] = [aServerKey(), aServerKey({ retired_at: NOW })];
      await present(tenant, old, removed);
      await tenant.serverKeys.remove(removed.kid, { at: NOW, reason: 'superseded' }, EVENT);
      for (const successor of [
        successorOf(aServerKey(), NOW),
        successorOf(removed, NOW),
        { ...successorOf(old, NOW), kid: old.kid },
        { ...successorOf(old, NOW), kid: removed.kid },
      ])
        assert.equal(await tenant.serverKeys.succeed(successor, EVENT), false);
      assert.deepEqual(await tenant.serverKeys.all(), [old]);
    }),
  );

  test(
    'an announced key may take over sooner, once, and its predecessor retires then',
    onEmptyStorage(make, async ({ tenant }) => {
      const old = aServerKey();
      await present(tenant, old);
      const successor = successorOf(old, NOW + 100);
      await tenant.serverKeys.succeed(successor, EVENT);
      assert.equal(await tenant.serverKeys.advance(successor.kid, NOW + 1, EVENT), true);
      assert.equal(await tenant.serverKeys.advance(successor.kid, NOW + 1, EVENT), false);
      assert.equal(await tenant.serverKeys.advance(successor.kid, NOW + 50, EVENT), false);
      assert.equal(await tenant.serverKeys.advance(aServerKey().kid, NOW, EVENT), false);
      assert.deepEqual(await tenant.serverKeys.all(), [
        { ...old, retired_at: NOW + 1 },
        { ...successor, active_at: NOW + 1 },
      ]);
    }),
  );
}

function removal(make: MakeEngine): void {
  test(
    'a retired key is removed once: its private half is gone, its name, times and reason stay',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const old = aServerKey({ retired_at: NOW });
      const current = aServerKey();
      await present(tenant, old, current);
      await present(other, old);
      const removed = { at: NOW + 9, reason: 'superseded' } as const;
      const answers = await Promise.all(times(5, () => tenant.serverKeys.remove(old.kid, removed, EVENT)));
      assert.equal(occurrences(answers, true), 1);
      assert.deepEqual(await tenant.serverKeys.all(), [current]);
      const { sealed_jwk: _, ...rest } = old;
      assert.deepEqual(await tenant.serverKeys.removed(), [
        { ...rest, removed_at: NOW + 9, reason: 'superseded' },
      ]);
      assert.equal(await tenant.serverKeys.add(aServerKey({ kid: old.kid }), EVENT), false, 'it comes back');
      assert.deepEqual(await other.serverKeys.all(), [old]);
      assert.deepEqual(await other.serverKeys.removed(), []);
    }),
  );

  test(
    'an active key is not removed without a replacement, which takes over at that moment and inherits its successor',
    onEmptyStorage(make, async ({ tenant }) => {
      const key = aServerKey();
      await present(tenant, key);
      const heir = successorOf(key, NOW + 100);
      await tenant.serverKeys.succeed(heir, EVENT);
      const removed = { at: NOW + 1, reason: 'compromised' } as const;
      assert.equal(await tenant.serverKeys.remove(key.kid, removed, EVENT), false);
      const replacement = aServerKey({ active_at: 5, retired_at: 6 });
      assert.equal(await tenant.serverKeys.remove(key.kid, { ...removed, replacement }, EVENT), true);
      assert.deepEqual(await tenant.serverKeys.all(), [
        { ...heir, succeeds: replacement.kid },
        { ...replacement, active_at: NOW + 1, retired_at: NOW + 100, succeeds: key.kid },
      ]);
    }),
  );

  test(
    'when an announced key is removed, its predecessor goes on, and needs no replacement',
    onEmptyStorage(make, async ({ tenant }) => {
      const old = aServerKey();
      await present(tenant, old);
      const announced = successorOf(old, NOW + 100);
      await tenant.serverKeys.succeed(announced, EVENT);
      const removed = { at: NOW, reason: 'compromised', replacement: aServerKey() } as const;
      assert.equal(await tenant.serverKeys.remove(announced.kid, removed, EVENT), true);
      assert.deepEqual(await tenant.serverKeys.all(), [old]);
      assert.deepEqual(kids(await tenant.serverKeys.removed()), [announced.kid]);
    }),
  );
}

function told(make: MakeEngine): void {
  test(
    'every change is in the journal and in the audit, and what did not happen is in neither',
    onEmptyStorage(make, async ({ tenant }) => {
      const { serverKeys } = tenant;
      const old = aServerKey();
      await present(tenant, old);
      assert.equal(await tenant.journal.head(), 0, 'no process has read a key before one existed');
      const successor = successorOf(old, NOW + 100);
      const event = (detail: string) => anEvent({ action: 'server-key.announce', detail });
      const removed = { at: NOW + 200, reason: 'superseded' } as const;
      await serverKeys.addFirstOf('federation', [aServerKey({ use: 'federation' })]);
      await serverKeys.addFirstOf('federation', [aServerKey({ use: 'federation' })]);
      await serverKeys.add(aServerKey(), event('added'));
      await serverKeys.succeed(successor, event('succeeded'));
      await serverKeys.succeed(successorOf(old, NOW), event('too late'));
      await serverKeys.advance(successor.kid, NOW, event('advanced'));
      await serverKeys.advance(successor.kid, NOW, event('again'));
      await serverKeys.remove(successor.kid, removed, event('active'));
      await serverKeys.remove(old.kid, removed, event('removed'));
      const changes = await tenant.journal.since(0);
      const kind = 'server-keys-changed';
      assert.deepEqual(changes, [...times(4, () => ({ kind })), { kind, removed: old.kid }]);
      const events = await tenant.audit.page(0, 100);
      assert.deepEqual(
        events.map(({ detail }) => detail),
        ['added', 'succeeded', 'advanced', 'removed'],
      );
    }),
  );
}
