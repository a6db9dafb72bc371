import type { DifferenceMark, Surroundings } from './command.ts';

/** Control characters, line ends, and format characters, which may turn the direction of a text or hide it. */
const STEERING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes what steers a terminal. The escape is that of JSON, so JSON keeps its meaning. Every line that a command prints
 * goes through it, so a word from outside can neither end its line nor begin another one.
 */
export function forTerminal(line: string): string {
  return line.replaceAll(STEERING, (character) =>
    Array.from({ length: character.length }, (_, index) => escaped(character.charCodeAt(index))).join(''),
  );
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`;

/** Green, yellow, red: ECMA-48 §8.3.117. */
const COLOURS: Readonly<Record<DifferenceMark, number>> = { '+': 32, '~': 33, '-': 31, '-/+': 31 };

/** Colours a line of a terminal, unless NO_COLOR is set (no-color.org). */
function coloured(line: string, mark: DifferenceMark): string {
  if (!process.stdout.isTTY || (process.env['NO_COLOR'] ?? '') !== '') return line;
  return `\u001b[${COLOURS[mark]}m${line}\u001b[0m`;
}

/** The process as a command sees it. Only this file writes to standard output and standard error. */
export const TERMINAL: Surroundings = {
  environment: process.env,
  print: (line) => void process.stdout.write(`${forTerminal(line)}\n`),
  complain: (line) => void process.stderr.write(`${forTerminal(line)}\n`),
  printColoured: (line, mark) => void process.stdout.write(`${coloured(forTerminal(line), mark)}\n`),
  printData: (line) => void process.stdout.write(`${process.stdout.isTTY ? forTerminal(line) : line}\n`),
};

/** Acts when the reader of standard output is gone: `chancery audit tail | head`. */
export function onReaderGone(act: () => void): void {
  process.stdout.once('error', act);
}

/** A status on standard error that changes while a command works. */
export interface StatusLine {
  /** Shows a status that the next one replaces. */
  show(status: string): void;
  /** Writes the last status, which stays. */
  settle(status: string): void;
  /** Erases the status of a terminal: the command prints a result of its own. */
  clear(): void;
}

const TERMINAL_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 10_000;

/** Returns the status on standard error: on a terminal one line that changes, elsewhere a line every 10 seconds. */
export function statusLine(): StatusLine {
  const { isTTY } = process.stderr;
  const interval = isTTY ? TERMINAL_INTERVAL_MS : LINE_INTERVAL_MS;
  // Erases the line from its beginning (ECMA-48 §8.3.41).
  const begin = isTTY ? '\r\u001b[K' : '';
  let shownAt = performance.now();
  return {
    show(status) {
      if (performance.now() - shownAt < interval) return;
      shownAt = performance.now();
      process.stderr.write(isTTY ? `${begin}${forTerminal(status)}` : `${forTerminal(status)}\n`);
    },
    settle(status) {
      process.stderr.write(`${begin}${forTerminal(status)}\n`);
    },
    clear() {
      if (begin !== '') process.stderr.write(begin);
    },
  };
}
