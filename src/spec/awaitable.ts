/**
 * A value, or a promise of it. It stands only where an embedded engine answers an introspection, a
 * bearer token or a client look-up from memory, and a benchmark shows that a promise for each step costs too much.
 * Everywhere else write `async` and `Promise<T>`. `tools/architecture/answers-at-once.ts` lists the files.
 */
export type Awaitable<T> = T | Promise<T>;

/** Calls `goOn` with the value: at once if it is there, otherwise when its promise is fulfilled. */
export function whenKnown<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
