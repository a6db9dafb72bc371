/** What an embedded engine answers at once, a remote one answers later. */
export type Awaitable<T> = T | Promise<T>;

/**
 * Goes on with a value as soon as it is there: at once where it is no promise. On a path that is taken for every
 * request, waiting for what is there already costs more than looking it up did.
 */
export function whenKnown<T, U>(value: Awaitable<T>, goOn: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
