/** What waits for the end of the running turn of the event loop. */
export interface EndOfTurn<Item> {
  add(item: Item): void;
  /** Acts now on everything that waits. */
  flush(): void;
}

/**
 * Acts on all that came in a turn one after the other, in the order in which it came, in one callback: whatever `act`
 * reads before it goes on (the journal, a snapshot of the database) is read once for all of them, after all had come.
 * @param act must not throw
 */
export function endOfTurn<Item>(act: (item: Item) => void): EndOfTurn<Item> {
  let waiting: Item[] = [];
  const flush = (): void => {
    const items = waiting;
    waiting = [];
    for (const item of items) act(item);
  };
  return {
    add(item) {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push(item);
    },
    flush,
  };
}
