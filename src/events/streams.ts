import type { Settings } from '../config/settings.ts';
import type { Streams } from '../ports/streams.ts';

export interface OpenStreams extends Streams {
  /** Ends every stream, and admits no other. */
  stop(): void;
}

/** Bounds the streams of a process, and of each caller in it. */
export function openStreams(
  settings: Pick<Settings, 'events.streams' | 'events.streams-per-caller'>,
): OpenStreams {
  const stopped = new AbortController();
  const open = new Map<string, number>();
  let total = 0;
  return {
    stopping: stopped.signal,
    stop: () => stopped.abort(),
    enter(caller) {
      const own = open.get(caller) ?? 0;
      if (stopped.signal.aborted || total >= settings['events.streams']) return undefined;
      if (own >= settings['events.streams-per-caller']) return undefined;
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
