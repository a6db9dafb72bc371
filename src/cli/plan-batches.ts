/** Yields steps, as many together as one transaction takes. A step that is too large for one stands alone. */
export function* batched<Step>(
  steps: readonly Step[],
  sizeOf: (step: Step) => number,
  most: { readonly steps: number; readonly bytes: number },
): Generator<readonly Step[]> {
  let batch: Step[] = [];
  let bytes = 0;
  for (const step of steps) {
    const size = sizeOf(step);
    if (batch.length === most.steps || (batch.length > 0 && bytes + size > most.bytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(step);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
