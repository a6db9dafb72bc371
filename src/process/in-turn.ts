/**
 * Returns a function that picks a share of a list at each call, so that every item has its turn once in `rounds` calls. The
 * list may change between the calls.
 */
export function inTurn<Item>(rounds: number): (items: readonly Item[]) => readonly Item[] {
  let next = 0;
  return (items) => {
    if (next >= items.length) next = 0;
    const picked = items.slice(next, next + Math.ceil(items.length / rounds));
    next += picked.length;
    return picked;
  };
}
