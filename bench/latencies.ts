/** Returns the bucket that this share of all answers does not exceed. @param latencies how many answers each bucket has */
export function percentile(latencies: Uint32Array, share: number): number {
  const total = latencies.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  return latencies.findIndex((count) => {
    seen += count;
    return seen >= total * share;
  });
}

/** Returns the figure that this share of them does not exceed. */
export function quantile(figures: readonly number[], share: number): number {
  return (
    figures.toSorted((one, other) => one - other)[Math.floor((figures.length - 1) * share)] ?? Number.NaN
  );
}
