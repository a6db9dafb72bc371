import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { ClientId } from '../spec/identifiers.ts';
import { ContestedChanges, untilUncontested } from './change-client.ts';

const CLIENT = 'one' as ClientId;

/** A client that counts its versions and the attempts to change it. An attempt takes two turns of the event loop. */
function contestedClient() {
  const stored = { version: 0, attempts: 0 };
  return {
    stored,
    change: {
      find: async () => {
        await turn();
        return stored.version;
      },
      act: async (version: number) => {
        stored.attempts += 1;
        await turn();
        if (version !== stored.version) return { outcome: 'changed_meanwhile', result: version } as const;
        stored.version += 1;
        return { outcome: 'done', result: stored.version } as const;
      },
      clientOf: () => CLIENT,
    },
  };
}

suite('changes of one client at once', () => {
  test('a hundred all happen, with at most two attempts each', async () => {
    const contested = new ContestedChanges();
    const { stored, change } = contestedClient();
    const versions = await Promise.all(
      Array.from({ length: 100 }, async () => await untilUncontested({ contested }, change)),
    );
    assert.deepEqual(
      versions.toSorted((one, other) => one - other),
      Array.from({ length: 100 }, (_, n) => n + 1),
    );
    assert.ok(stored.attempts <= 200, `${stored.attempts} attempts`);
  });

  test('one that fails in its turn lets the next go on', async () => {
    const contested = new ContestedChanges();
    const failing = contested.inTurn(CLIENT, async () => {
      await turn();
      throw new Error('the database is gone');
    });
    const next = contested.inTurn(CLIENT, async () => await Promise.resolve('done'));
    await assert.rejects(failing, /database is gone/);
    assert.equal(await next, 'done');
  });

  test('the changes of another client do not wait', async () => {
    const contested = new ContestedChanges();
    const { promise, resolve } = Promise.withResolvers<void>();
    const slow = contested.inTurn(CLIENT, async () => await promise);
    assert.equal(
      await contested.inTurn('two' as ClientId, async () => await Promise.resolve('done')),
      'done',
    );
    resolve();
    await slow;
  });
});
