import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sealed } from '../spec/identifiers.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './contract-engine.ts';
import { aServerKey, times } from './stored-examples.ts';

export function serverKeyContract(make: MakeEngine): void {
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
    'two storages that start at once end with the same keys',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      await onSecondView(engine, async (second) => {
        const answers = await Promise.all(
          times(10, (index) =>
            (index % 2 === 0 ? tenant : second).serverKeys.addFirst([aServerKey(), aServerKey()]),
          ),
        );
        const kept = await tenant.serverKeys.all();
        assert.equal(kept.length, 2);
        for (const answer of answers) assert.deepEqual(answer, kept);
      });
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
