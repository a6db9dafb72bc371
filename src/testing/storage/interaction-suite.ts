import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aDigest, anInteraction } from './end-user-examples.ts';
import { type MakeEngine, onEmptyStorage, onSecondView } from './engine.ts';
import { HARD_TEXTS, NOW, occurrences, times } from './stored-examples.ts';

export function interactionContract(make: MakeEngine): void {
  test(
    'an interaction comes back as it was kept, in its own tenant only',
    onEmptyStorage(make, async ({ tenant, other }) => {
      for (const content of HARD_TEXTS) {
        const interaction = anInteraction({ content, kind: 'logout' });
        await tenant.interactions.begin(interaction);
        assert.deepEqual(await tenant.interactions.find(interaction.key), interaction);
        assert.equal(await other.interactions.find(interaction.key), undefined);
        assert.equal(await other.interactions.complete(interaction), 'absent');
      }
      assert.equal(await tenant.interactions.find(aDigest()), undefined);
    }),
  );

  test(
    'a change needs the version it was made from, and raises it',
    onEmptyStorage(make, async ({ tenant }) => {
      const interaction = anInteraction();
      await tenant.interactions.begin(interaction);
      assert.equal(await tenant.interactions.change(interaction, '{"sub":"a"}'), 'done');
      assert.equal(await tenant.interactions.change(interaction, '{"sub":"b"}'), 'changed_meanwhile');
      const changed = { ...interaction, version: 2, content: '{"sub":"a"}' };
      assert.deepEqual(await tenant.interactions.find(interaction.key), changed);
      assert.equal(await tenant.interactions.complete(interaction), 'changed_meanwhile');
      assert.equal(await tenant.interactions.complete(changed), 'done');
      assert.equal(await tenant.interactions.change(changed, '{}'), 'absent');
      assert.equal(await tenant.interactions.find(interaction.key), undefined);
    }),
  );

  test(
    'of fifty that complete an interaction at once, over two views, exactly one does',
    onEmptyStorage(make, async ({ engine, tenant }) => {
      const interaction = anInteraction();
      await tenant.interactions.begin(interaction);
      await onSecondView(engine, async (second) => {
        const outcomes = await Promise.all(
          times(50, (index) => (index % 2 === 0 ? tenant : second).interactions.complete(interaction)),
        );
        assert.equal(occurrences(outcomes, 'done'), 1);
        assert.equal(occurrences(outcomes, 'absent'), 49);
      });
    }),
  );

  test(
    'sweeping removes expired interactions of its own tenant, the oldest first',
    onEmptyStorage(make, async ({ tenant, other }) => {
      const old = times(3, (index) => anInteraction({ expires_at: NOW - 3 + index }));
      const live = anInteraction({ expires_at: NOW });
      for (const interaction of [...old, live]) await tenant.interactions.begin(interaction);
      for (const interaction of old) await other.interactions.begin(interaction);
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 2);
      for (const [index, { key }] of old.entries()) {
        assert.deepEqual(await tenant.interactions.find(key), index < 2 ? undefined : old[index]);
      }
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 1);
      assert.equal(await tenant.interactions.sweepExpired(NOW, 2), 0);
      assert.deepEqual(await tenant.interactions.find(live.key), live);
      assert.equal(await other.interactions.sweepExpired(NOW, 10), 3);
    }),
  );
}
