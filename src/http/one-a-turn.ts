/**
 * Lets one of those who wait go on in each turn of the event loop, in the order in which they came: a thousand long
 * answers take no more of a turn than one does, and other requests are answered in between.
 */
export function oneATurn(): () => Promise<void> {
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
