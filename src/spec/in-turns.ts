import { setImmediate as nextTurn } from 'node:timers/promises';

/** Items of one turn of the event loop: for items as large as a client a few tenths of a millisecond. */
export const AT_ONCE = 8;

/** Calls `act` with a few items in each turn of the event loop, so that other requests are answered in between. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (items: readonly Item[]) => readonly Result[],
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += AT_ONCE) {
    if (start > 0) await nextTurn();
    results.push(...act(items.slice(start, start + AT_ONCE)));
  }
  return results;
}
