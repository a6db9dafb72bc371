import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AT_ONCE, inTurns } from './in-turns.ts';

test('a turn of the event loop handles a few items, other callbacks come in between, and results keep their order', async () => {
  const seen: string[] = [];
  const items = Array.from({ length: 2 * AT_ONCE + 1 }, (_, index) => index);
  setImmediate(() => {
    seen.push('another');
    setImmediate(() => seen.push('one more'));
  });
  const results = await inTurns(items, (part) => {
    seen.push(`${part.length} items`);
    return part.filter((item) => item !== 3).map((item) => item * 2);
  });
  assert.deepEqual(seen, [`${AT_ONCE} items`, 'another', `${AT_ONCE} items`, 'one more', '1 items']);
  assert.deepEqual(
    results,
    items.filter((item) => item !== 3).map((item) => item * 2),
  );
  assert.deepEqual(await inTurns([], () => assert.fail('nothing to do')), []);
});
