/** A reader that takes longer for one part gives its place to others. It can resume where it was. */
export const PATIENCE_MS = 30_000;

/** Headers of a stream of server-sent events (WHATWG HTML §9.2). */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // nginx would otherwise collect events until its buffer is full.
  'x-accel-buffering': 'no',
} as const;

/** Returns one line of an event. */
export const line = (name: string, value: string): string => `${name}: ${value}\n`;

/** Returns the data of an event. JSON has no line breaks, so that no member can make a line of its own. */
export const json = (value: object): string => line('data', JSON.stringify(value));

/** Returns the last event of a stream, which says why it ends. */
export const endEvent = (reason: string): string => `${line('event', 'end')}${json({ reason })}\n`;
