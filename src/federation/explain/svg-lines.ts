import { plain, shortened } from './words.ts';

/** The distance between two lines. */
export const LINE = 18;

/** Characters of one line in a box, in a monospaced font of 12 units. */
const LINE_LENGTH = 47;
const LINES_MAX = 5;

/** A line of a box. The kind is also the class of its text element. */
export interface Line {
  readonly text: string;
  readonly kind: 'title' | 'held' | 'failed' | 'plain' | 'note';
}

/** Wraps a text to the width of a box. The lines after the first are indented. */
export function wrapped(kind: Line['kind'], given: string, indent = 0): readonly Line[] {
  const length = LINE_LENGTH - indent - 2;
  const text = shortened(plain(given), (length - 1) * LINES_MAX);
  const lines = text.match(new RegExp(`.{1,${length}}(?:\\s|$)|.{1,${length}}`, 'gu')) ?? [];
  return lines.map((line, index) => ({
    kind,
    text: ' '.repeat(indent + (index === 0 ? 0 : 2)) + line.trimEnd(),
  }));
}

export function textElement({ kind, text }: Line, x: number, y: number): string {
  return `<text class="${kind}" xml:space="preserve" x="${x}" y="${y}">${escaped(text)}</text>`;
}

const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for XML. Entity identifiers and reasons contain text of other parties. */
export function escaped(text: string): string {
  return plain(text).replaceAll(/[&<>"']/g, (character) => NAMES[character] ?? character);
}
