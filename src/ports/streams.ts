/** Answers of this process that have no end by themselves, or a far one. */
export interface Streams {
  /** Is aborted when the process closes its listeners. */
  readonly stopping: AbortSignal;
  /** Takes a place among the streams. Returns the function that leaves it; undefined if the caller or the process has too many. */
  enter(caller: string): (() => void) | undefined;
}
