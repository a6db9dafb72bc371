/** Items that wait for the end of the running turn of the event loop. */
export interface TurnBatch<Item> {
  add(item: Item): void;
  /** Acts now on everything that waits. */
  flush(): void;
}

/**
 * Gathers the items of one turn of the event loop and acts on them at its end: in one callback, in the order in which they
 * were added. So everything that `act` reads first (the journal, a snapshot of the database) is read once for the batch,
 * and after all of its requests had arrived.
 * @param act must not throw
 */
export function batchPerTurn<Item>(act: (item: Item) => void): TurnBatch<Item> {
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

/**
 * Resolves one waiting promise in each turn of the event loop, in order. A thousand long answers then take no more of a
 * turn than one does, and other requests are answered in between.
 */
export function onePerTurn(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const first = waiting.shift();
    if (waiting.length > 0) setImmediate(release);
    first?.();
  };
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(release);
    });
}
