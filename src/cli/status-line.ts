/** Where a status is shown, and when a line is due that nobody can overwrite. */
export interface StatusPlace {
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
  /** Milliseconds. */
  readonly now: () => number;
}

export interface StatusLine {
  /** On a terminal one line that changes; elsewhere a line now and then. */
  show(status: string): void;
  /** The last word about something, always a line of its own. */
  settle(status: string): void;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 10_000;

export function statusLine({ isTerminal, write, now }: StatusPlace): StatusLine {
  const interval = isTerminal ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  // Erases what was written to the end of the line (ECMA-48 §8.3.41).
  const begin = isTerminal ? '\r\u001b[K' : '';
  let shownAt = now();
  return {
    show(status) {
      if (now() - shownAt < interval) return;
      shownAt = now();
      write(isTerminal ? `${begin}${status}` : `${status}\n`);
    },
    settle(status) {
      write(`${begin}${status}\n`);
    },
  };
}
