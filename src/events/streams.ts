import type { Streams } from '../ports/streams.ts';

export interface OpenStreams extends Streams {
  /** Ends every stream, and admits no other. */
  stop(): void;
}

/** The maximum numbers of streams of a process, and of one caller in it. */
export interface StreamLimits {
  readonly total: number;
  readonly perCaller: number;
}

/** Bounds the streams of a process, and of each caller in it. */
export function openStreams({ total: totalMax, perCaller }: StreamLimits): OpenStreams {
  const stopped = new AbortController();
  const open = new Map<string, number>();
  let total = 0;
  return {
    stopping: stopped.signal,
    stop: () => stopped.abort(),
    enter(caller) {
      const own = open.get(caller) ?? 0;
      if (stopped.signal.aborted || total >= totalMax) return undefined;
      if (own >= perCaller) return undefined;
      open.set(caller, own + 1);
      total += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        total -= 1;
        const rest = (open.get(caller) ?? 1) - 1;
        if (rest === 0) open.delete(caller);
        else open.set(caller, rest);
      };
    },
  };
}

/** Calls `leave` once when the chunks end, whichever way: also if nothing was read, or the caller has gone. */
export function leaving<Chunk>(chunks: AsyncGenerator<Chunk>, leave: () => void): AsyncIterable<Chunk> {
  let hasLeft = false;
  const leaveOnce = (): void => {
    if (!hasLeft) leave();
    hasLeft = true;
  };
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        try {
          const result = await chunks.next();
          if (result.done === true) leaveOnce();
          return result;
        } catch (failure) {
          leaveOnce();
          throw failure;
        }
      },
      async return() {
        leaveOnce();
        return await chunks.return(undefined);
      },
    }),
  };
}
